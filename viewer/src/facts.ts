/** The numbers of a rod or link at a moment, and their series over a run. */

import { Quaternion, Vector3 } from "three";
import { CONTACT, LINK, NODE, type Frame } from "./frame";
import { partOf, type Layout, type SceneInfo } from "./scene";
import { nearestEdge, QUANTITIES, type Moment } from "./quantities";
import type { Picked } from "./stage/pick";

export interface Fact {
  name: string;
  unit: string;
  /** Its numbers at a moment; one of them can be plotted. */
  read(moment: Moment): number[];
}

export interface Facts {
  name: string;
  kind: string;
  facts: Fact[];
}

const vector = (array: Float32Array, at: number): Vector3 => new Vector3().fromArray(array, at);

/** Sum of the forces of all contacts on a rod or tree, by its index in frames; on a part of it where `near` says so. */
function contactForce(frame: Frame, thing: number, near: (point: Vector3) => boolean = () => true): Vector3 {
  const sum = new Vector3();
  for (let c = 0; c < frame.sides.length / 2; c++) {
    const [first, second] = [frame.sides[2 * c], frame.sides[2 * c + 1]];
    if ((first === thing) === (second === thing) || !near(vector(frame.contacts, CONTACT * c))) continue;
    sum.addScaledVector(vector(frame.contacts, CONTACT * c + 3), first === thing ? 1 : -1);
  }
  return sum;
}

/** Facts of what is picked. */
export function factsOf(picked: Picked, scene: SceneInfo, layout: Layout): Facts {
  return picked.kind === "rod" ? rodFacts(picked, scene, layout) : linkFacts(picked.link, scene, layout);
}

function rodFacts({ rod, edge, share }: Extract<Picked, { kind: "rod" }>, scene: SceneInfo, layout: Layout): Facts {
  const info = scene.rods[rod];
  const [a, b] = [layout.rodStart[rod] + edge, layout.rodStart[rod] + ((edge + 1) % info.node_count)];
  const node = share < 0.5 ? a : b;
  const of = (key: string): ((moment: Moment) => number[]) => {
    const out = new Float32Array(layout.nodeCount);
    return (moment) => {
      QUANTITIES[key].compute(moment, out);
      return [out[node]];
    };
  };
  const length = ({ frame }: Moment) => {
    let sum = 0;
    for (let e = 0; e < info.edge_count; e++) {
      const [p, q] = [layout.rodStart[rod] + e, layout.rodStart[rod] + ((e + 1) % info.node_count)];
      sum += vector(frame.nodes, NODE * p).distanceTo(vector(frame.nodes, NODE * q));
    }
    return [sum];
  };
  const place = ({ frame }: Moment) => vector(frame.nodes, NODE * a).lerp(vector(frame.nodes, NODE * b), share);
  return {
    name: info.name,
    kind: `rod · edge ${edge + 1} of ${info.edge_count}`,
    facts: [
      { name: "tension", unit: "N", read: ({ frame }) => [frame.nodes[NODE * a + 4]] },
      { name: "curvature", unit: "1/m", read: of("curvature") },
      { name: "twist", unit: "rad/m", read: of("twist") },
      { name: "speed", unit: "m/s", read: of("speed") },
      { name: "position", unit: "m", read: (moment) => place(moment).toArray() },
      {
        name: "contact force here",
        unit: "N",
        read: (moment) => {
          const here = (p: Vector3) => nearestEdge(moment, rod, p.toArray()).edge === edge;
          return [contactForce(moment.frame, rod, here).length()];
        },
      },
      { name: "length", unit: "m", read: length },
      { name: "mass", unit: "kg", read: () => [info.mass] },
      { name: "half extents", unit: "m", read: () => [...info.half_extents[edge]] },
    ],
  };
}

function linkFacts(link: number, scene: SceneInfo, layout: Layout): Facts {
  const tree = partOf(layout.treeStart, link);
  const info = scene.trees[tree].links[link - layout.treeStart[tree]];
  const joint = info.joint_kind === "fixed" ? "fixed" : `${info.joint_kind} joint`;
  const own = info.name && info.name !== scene.trees[tree].name ? ` · ${info.name}` : "";
  const turn = ({ frame }: Moment): number => {
    const at = LINK * link + 3;
    const [x, y, z, w] = frame.links.subarray(at, at + 4);
    return (2 * Math.acos(Math.min(1, Math.abs(new Quaternion(x, y, z, w).normalize().w))) * 180) / Math.PI;
  };
  const speed = ({ before, after }: Moment): number => {
    const time = after.time - before.time;
    return time > 0 ? vector(after.links, LINK * link).distanceTo(vector(before.links, LINK * link)) / time : 0;
  };
  return {
    name: scene.trees[tree].name + own,
    kind: `${scene.trees[tree].robot ? "robot" : "body"} · ${joint}`,
    facts: [
      { name: "position", unit: "m", read: ({ frame }) => vector(frame.links, LINK * link).toArray() },
      { name: "speed of its origin", unit: "m/s", read: (moment) => [speed(moment)] },
      { name: "turned from world axes", unit: "°", read: (moment) => [turn(moment)] },
      { name: "mass", unit: "kg", read: () => [info.mass] },
      {
        name: scene.trees[tree].links.length > 1 ? "contact force, all links" : "contact force",
        unit: "N",
        read: ({ frame }) => [contactForce(frame, scene.rods.length + tree).length()],
      },
    ],
  };
}
