/** What rods can be colored by, computed from frames: one number a node. */

import { CONTACT, NODE, type Frame } from "./frame";
import type { Layout, SceneInfo } from "./scene";
import type { ColorMap } from "./stage/palette";
import { roundUp } from "./ui/dom";

export interface Quantity {
  name: string;
  unit: string;
  /** Writes a value for each node; `before` and `after` are the neighboring frames. */
  compute(moment: Moment, out: Float32Array): void;
}

export interface Moment {
  scene: SceneInfo;
  layout: Layout;
  frame: Frame;
  before: Frame;
  after: Frame;
}

/** Calls `see` for each rod with its first node and the number of its nodes. */
function eachRod(moment: Moment, see: (start: number, count: number, closed: boolean, rod: number) => void): void {
  moment.scene.rods.forEach((rod, r) => see(moment.layout.rodStart[r], rod.node_count, rod.closed, r));
}

type V = [number, number, number];
const sub = (nodes: Float32Array, a: number, b: number): V => [
  nodes[NODE * a] - nodes[NODE * b],
  nodes[NODE * a + 1] - nodes[NODE * b + 1],
  nodes[NODE * a + 2] - nodes[NODE * b + 2],
];
const dot = (a: V, b: V) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: V, b: V): V => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a: V, s: number): V => [a[0] * s, a[1] * s, a[2] * s];

/** Means over the two edges of each node; `tension` of a node is that of the edge that leaves it. */
function tension({ frame }: Moment, start: number, count: number, closed: boolean, out: Float32Array): void {
  const edges = closed ? count : count - 1;
  const of = (e: number) => frame.nodes[NODE * (start + e) + 4];
  for (let i = 0; i < count; i++) {
    const before = i > 0 ? i - 1 : closed ? edges - 1 : 0;
    out[start + i] = 0.5 * (of(before) + of(Math.min(i, edges - 1)));
  }
}

/** Director m1 of an edge in direction `t`, as the binary frames say it. */
export function director(t: V, angle: number): V {
  const s = t[2] < 0 || Object.is(t[2], -0) ? -1 : 1;
  const a = -1 / (s + t[2]);
  const b = t[0] * t[1] * a;
  const b1: V = [1 + s * t[0] * t[0] * a, s * b, -s * t[0]];
  const b2: V = [b, s + t[1] * t[1] * a, -t[1]];
  const [c, d] = [Math.cos(angle), Math.sin(angle)];
  return [c * b1[0] + d * b2[0], c * b1[1] + d * b2[1], c * b1[2] + d * b2[2]];
}

/** Curvature 2 tan(φ/2) / l at each node between two edges, and twist per length there. */
function bending(moment: Moment, start: number, count: number, closed: boolean, see: (node: number, curvature: number, twist: number) => void): void {
  const { nodes } = moment.frame;
  const inner = closed ? [0, count] : [1, count - 1];
  for (let i = inner[0]; i < inner[1]; i++) {
    const [before, here, after] = [start + ((i - 1 + count) % count), start + i, start + ((i + 1) % count)];
    const [e0, e1] = [sub(nodes, here, before), sub(nodes, after, here)];
    const [l0, l1] = [Math.sqrt(dot(e0, e0)), Math.sqrt(dot(e1, e1))];
    if (!(l0 > 0 && l1 > 0)) continue;
    const [t0, t1] = [scaled(e0, 1 / l0), scaled(e1, 1 / l1)];
    const axis = cross(t0, t1);
    const share = 1 + dot(t0, t1);
    const length = 0.5 * (l0 + l1);
    if (share < 1e-6) continue;
    const curvature = (2 * Math.sqrt(dot(axis, axis))) / share / length;
    const [m0, m1] = [director(t0, nodes[NODE * before + 3]), director(t1, nodes[NODE * here + 3])];
    // m0 carried from t0 to t1 without twist: m + axis × m + axis (axis · m) / (1 + t0 · t1).
    const w = cross(axis, m0);
    const along = dot(axis, m0) / share;
    const c = dot(t0, t1);
    const carried: V = [0, 1, 2].map((k) => c * m0[k] + w[k] + axis[k] * along) as V;
    see(here, curvature, Math.atan2(dot(cross(carried, m1), t1), dot(carried, m1)) / length);
  }
}

function neighborsFill(start: number, count: number, closed: boolean, out: Float32Array): void {
  if (closed || count < 3) return;
  out[start] = out[start + 1];
  out[start + count - 1] = out[start + count - 2];
}

/** The edge of rod `rod` nearest to a point, as its first node, and the share along it. */
export function nearestEdge(moment: Pick<Moment, "scene" | "layout" | "frame">, rod: number, p: V): { edge: number; share: number } {
  const { nodes } = moment.frame;
  const start = moment.layout.rodStart[rod];
  const { edge_count: edges, node_count: count } = moment.scene.rods[rod];
  let best = { edge: 0, share: 0 };
  let least = Infinity;
  for (let e = 0; e < edges; e++) {
    const [a, b] = [NODE * (start + e), NODE * (start + ((e + 1) % count))];
    const [x, y, z] = [nodes[b] - nodes[a], nodes[b + 1] - nodes[a + 1], nodes[b + 2] - nodes[a + 2]];
    const [px, py, pz] = [p[0] - nodes[a], p[1] - nodes[a + 1], p[2] - nodes[a + 2]];
    const square = x * x + y * y + z * z;
    const share = square > 0 ? Math.min(Math.max((px * x + py * y + pz * z) / square, 0), 1) : 0;
    const [dx, dy, dz] = [px - share * x, py - share * y, pz - share * z];
    const distance = dx * dx + dy * dy + dz * dz;
    if (distance < least) {
      least = distance;
      best = { edge: e, share };
    }
  }
  return best;
}

export const QUANTITIES: Record<string, Quantity> = {
  tension: {
    name: "Tension",
    unit: "N",
    compute: (moment, out) => eachRod(moment, (start, count, closed) => tension(moment, start, count, closed, out)),
  },
  curvature: {
    name: "Curvature",
    unit: "1/m",
    compute: (moment, out) =>
      eachRod(moment, (start, count, closed) => {
        bending(moment, start, count, closed, (node, curvature) => (out[node] = curvature));
        neighborsFill(start, count, closed, out);
      }),
  },
  twist: {
    name: "Twist",
    unit: "rad/m",
    compute: (moment, out) =>
      eachRod(moment, (start, count, closed) => {
        bending(moment, start, count, closed, (node, _, twist) => (out[node] = twist));
        neighborsFill(start, count, closed, out);
      }),
  },
  speed: {
    name: "Speed",
    unit: "m/s",
    compute: ({ before, after, layout }, out) => {
      const time = after.time - before.time;
      for (let i = 0; i < layout.nodeCount; i++) {
        const d = [0, 1, 2].map((c) => after.nodes[NODE * i + c] - before.nodes[NODE * i + c]);
        out[i] = time > 0 ? Math.hypot(d[0], d[1], d[2]) / time : 0;
      }
    },
  },
  contact: {
    name: "Contact force per length",
    unit: "N/m",
    compute: (moment, out) => {
      out.fill(0, 0, moment.layout.nodeCount);
      const { contacts, sides } = moment.frame;
      for (let c = 0; c < sides.length / 2; c++) {
        const at = CONTACT * c;
        const force = Math.hypot(contacts[at + 3], contacts[at + 4], contacts[at + 5]);
        for (const rod of new Set([sides[2 * c], sides[2 * c + 1]])) {
          if (rod >= moment.scene.rods.length) continue;
          const { edge, share } = nearestEdge(moment, rod, [contacts[at], contacts[at + 1], contacts[at + 2]]);
          const info = moment.scene.rods[rod];
          const start = moment.layout.rodStart[rod];
          const density = force / info.rest_lengths[edge];
          out[start + edge] += density * (1 - share);
          out[start + ((edge + 1) % info.node_count)] += density * share;
        }
      }
    },
  },
};

/** The range of a quantity over a run, from at most `samples` frames, without the highest of a thousand values. */
export function rangeOf(quantity: Quantity, moments: Moment[], count: number): { range: [number, number]; map: ColorMap } {
  const all: number[] = [];
  const out = new Float32Array(count);
  for (const moment of moments) {
    out.fill(0);
    quantity.compute(moment, out);
    for (const x of out) if (Number.isFinite(x)) all.push(x);
  }
  all.sort((a, b) => a - b);
  const at = (share: number) => all[Math.min(all.length - 1, Math.max(0, Math.round(share * (all.length - 1))))] ?? 0;
  const [low, high] = [at(0.001), at(0.999)];
  const most = roundUp(Math.max(Math.abs(low), Math.abs(high)));
  if (!(most > 0)) return { range: [0, 1], map: "sequential" };
  return low < -0.02 * most ? { range: [-most, most], map: "diverging" } : { range: [0, most], map: "sequential" };
}
