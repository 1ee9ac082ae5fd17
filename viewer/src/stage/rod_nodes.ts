/** The nodes of a rod as texels: position, slope of the center line, director. */

import { NODE } from "../frame";
import type { RodInfo } from "../scene";
import { TEXELS } from "./rod_shader";

const edge = new Float64Array(3);
const director = new Float64Array(3);
const before = new Float64Array(3);

/** Writes the nodes of `rod`, the first of which is `start`, from the numbers of a frame. */
export function placeNodes(texels: Float32Array, nodes: Float32Array, start: number, rod: RodInfo): void {
  const n = rod.node_count;
  const { closed } = rod;
  if (closed) edgeDirector(nodes, start + n - 1, start, before);
  else edgeDirector(nodes, start, start + 1, before);
  for (let i = 0; i < n; i++) {
    const last = !closed && i === n - 1;
    const here = start + i;
    const previous = start + (i > 0 ? i - 1 : closed ? n - 1 : 0);
    const next = start + (last ? i : (i + 1) % n);
    // At an open end the slope is that of the edge, not half of it.
    const share = !closed && (i === 0 || last) ? 1 : 0.5;
    if (last) director.set(before);
    else edgeDirector(nodes, here, next, director);
    const at = 4 * TEXELS * here;
    for (let c = 0; c < 3; c++) {
      texels[at + c] = nodes[NODE * here + c];
      texels[at + 4 + c] = share * (nodes[NODE * next + c] - nodes[NODE * previous + c]);
      texels[at + 8 + c] = before[c] + director[c];
    }
    const extents = rod.half_extents[Math.min(i, rod.edge_count - 1)];
    texels[at + 7] = extents[0];
    texels[at + 11] = extents[1];
    before.set(director);
  }
}

/** Director m1 of the edge between two nodes, from its angle: see the layout of frames. */
function edgeDirector(nodes: Float32Array, from: number, to: number, out: Float64Array): void {
  for (let c = 0; c < 3; c++) edge[c] = nodes[NODE * to + c] - nodes[NODE * from + c];
  const length = Math.sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
  const [x, y, z] = length > 0 ? [edge[0] / length, edge[1] / length, edge[2] / length] : [0, 0, 1];
  const s = z < 0 || Object.is(z, -0) ? -1 : 1;
  const a = -1 / (s + z);
  const b = x * y * a;
  const angle = nodes[NODE * from + 3];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  out[0] = cos * (1 + s * x * x * a) + sin * b;
  out[1] = cos * s * b + sin * (s + y * y * a);
  out[2] = -cos * s * x - sin * y;
}
