/** The direction from which most of the rods is seen. */

import { Box3, Mesh, Object3D, Raycaster, Vector3 } from "three";
import { NODE, type Frame } from "../frame";

/** Nodes that are looked for. */
const NODES = 40;
/** Meshes with more triangles take too long to ask; they are taken to hide nothing. */
const MOST_TRIANGLES = 4000;

/** Elevations and azimuths, as tangents and rad, with what they must gain over the first to be worth it. */
const ELEVATIONS = [[0.4, 0], [0.95, 0.1]] as const;
const AZIMUTHS = [[0, 0], [Math.PI, 0.1], [Math.PI / 2, 0.2], [-Math.PI / 2, 0.2]] as const;

/** Direction from the middle of `focus` to the camera; `place` puts `bodies` where they are in a frame. */
export function viewpoint(focus: Box3, bodies: Object3D, frames: Frame[], place: (frame: Frame) => void): Vector3 {
  const size = focus.getSize(new Vector3());
  const reach = 4 * size.length();
  const base = size.x >= 0.8 * size.y ? Math.atan2(-1, 0.42) : Math.atan2(-0.42, 1);
  const solids: Mesh[] = [];
  bodies.traverse((object) => {
    if (!(object instanceof Mesh) || object.userData.ground) return;
    const { index, attributes } = object.geometry;
    if ((index?.count ?? attributes.position.count) <= 3 * MOST_TRIANGLES) solids.push(object);
  });
  const choices = ELEVATIONS.flatMap(([elevation, high]) =>
    AZIMUTHS.map(([azimuth, turned]) => {
      const direction = new Vector3(Math.cos(base + azimuth), Math.sin(base + azimuth), elevation).normalize();
      return { direction, score: -high - turned };
    }),
  );
  for (const frame of frames) {
    place(frame);
    bodies.updateMatrixWorld(true);
    const points = sampledNodes(frame);
    for (const choice of choices) choice.score += share(points, choice.direction, solids, reach) / frames.length;
  }
  return choices.reduce((best, choice) => (choice.score > best.score + 1e-9 ? choice : best)).direction;
}

function sampledNodes({ nodes }: Frame): Vector3[] {
  const count = nodes.length / NODE;
  const taken = Math.min(NODES, count);
  return Array.from({ length: taken }, (_, k) => new Vector3().fromArray(nodes, NODE * Math.floor((k * count) / taken)));
}

/** Share of `points` that is seen from a direction. */
function share(points: Vector3[], direction: Vector3, solids: Mesh[], reach: number): number {
  if (solids.length === 0 || points.length === 0) return 1;
  const caster = new Raycaster();
  const seen = points.filter((point) => {
    caster.set(point.clone().addScaledVector(direction, reach), direction.clone().negate());
    // A rod that lies on a body is seen from outside: a hit near it does not count.
    caster.far = reach * (1 - 5e-3);
    return caster.intersectObjects(solids, false).length === 0;
  });
  return seen.length / points.length;
}
