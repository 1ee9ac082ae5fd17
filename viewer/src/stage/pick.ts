/** What is under the pointer. */

import { Mesh, Raycaster, Vector2, Vector3, type Camera, type Object3D } from "three";
import { NODE, type Frame } from "../frame";
import type { Layout, SceneInfo } from "../scene";

export type Picked =
  | { kind: "rod"; rod: number; edge: number; share: number; point: Vector3 }
  | { kind: "link"; link: number; point: Vector3 };

/** Pixels by which a click may miss a rod. */
const TOLERANCE = 4;

/** The first thing on the ray through `pointer` (−1…1 in x and y) on a canvas of `height` pixels; null for the ground. */
export function pick(
  pointer: Vector2,
  height: number,
  camera: Camera,
  bodies: Object3D,
  scene: SceneInfo,
  layout: Layout,
  frame: Frame,
): Picked | null {
  const caster = new Raycaster();
  caster.setFromCamera(pointer, camera);
  const solids = caster.intersectObject(bodies, true).filter((hit) => hit.object instanceof Mesh);
  const solid = solids.find((hit) => !hit.object.userData.ground);
  const rod = nearestRod(caster, camera, height, scene, layout, frame);
  if (rod && (!solid || rod.distance < solid.distance)) return rod.picked;
  if (!solid) return null;
  let object: Object3D | null = solid.object;
  while (object && object.userData.link === undefined) object = object.parent;
  return object ? { kind: "link", link: object.userData.link as number, point: solid.point } : null;
}

function nearestRod(
  caster: Raycaster,
  camera: Camera,
  height: number,
  scene: SceneInfo,
  layout: Layout,
  frame: Frame,
): { distance: number; picked: Picked } | null {
  const { origin } = caster.ray;
  // Meters of a pixel at distance 1 (perspective), or everywhere.
  const scale = camera.projectionMatrix.elements[5];
  const perspective = camera.projectionMatrix.elements[11] !== 0;
  let best: { distance: number; picked: Picked } | null = null;
  const [a, b, onRay, onEdge] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  scene.rods.forEach((rod, r) => {
    const start = layout.rodStart[r];
    for (let e = 0; e < rod.edge_count; e++) {
      a.fromArray(frame.nodes, NODE * (start + e));
      b.fromArray(frame.nodes, NODE * (start + ((e + 1) % rod.node_count)));
      const square = caster.ray.distanceSqToSegment(a, b, onRay, onEdge);
      const distance = onRay.distanceTo(origin);
      const pixel = (2 / (scale * height)) * (perspective ? distance : 1);
      const reach = Math.max(...rod.half_extents[e]) + TOLERANCE * pixel;
      if (square > reach * reach || (best && distance >= best.distance)) continue;
      const share = a.distanceTo(b) > 0 ? a.distanceTo(onEdge) / a.distanceTo(b) : 0;
      best = { distance, picked: { kind: "rod", rod: r, edge: e, share, point: onEdge.clone() } };
    }
  });
  return best;
}
