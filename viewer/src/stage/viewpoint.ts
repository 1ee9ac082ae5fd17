/** The direction from which most of the rods is seen. */

import { Box3, Mesh, Object3D, Raycaster, Vector3 } from "three";
import { NODE, type Frame } from "../frame";

/** Nodes that are looked for. */
const NODES = 40;
/** Meshes with more triangles take too long to ask; they are taken to hide nothing. */
const MOST_TRIANGLES = 4000;

/** Elevations and azimuths, as tangents and rad, with what they must gain over the first to be worth it. */
const ELEVATIONS = [[0.4, 0], [0.95, 0.06]] as const;
const AZIMUTHS = [[0, 0], [Math.PI, 0.05], [Math.PI / 2, 0.08], [-Math.PI / 2, 0.08]] as const;

/** Direction from the middle of `focus` to the camera. `bodies` stand where they are in `frame`. */
export function viewpoint(focus: Box3, bodies: Object3D, frame: Frame): Vector3 {
  const size = focus.getSize(new Vector3());
  const reach = 4 * size.length();
  const base = size.x >= 0.8 * size.y ? Math.atan2(-1, 0.42) : Math.atan2(-0.42, 1);
  const count = frame.nodes.length / NODE;
  const points = Array.from({ length: Math.min(NODES, count) }, (_, k) => new Vector3().fromArray(frame.nodes, NODE * Math.floor((k * count) / Math.min(NODES, count))));
  bodies.updateMatrixWorld(true);
  const solids: Mesh[] = [];
  bodies.traverse((object) => {
    if (!(object instanceof Mesh) || object.userData.ground) return;
    const { index, attributes } = object.geometry;
    if ((index?.count ?? attributes.position.count) <= 3 * MOST_TRIANGLES) solids.push(object);
  });
  let best = { score: -Infinity, direction: new Vector3(0, -1, 0.4) };
  for (const [elevation, high] of ELEVATIONS) {
    for (const [azimuth, turned] of AZIMUTHS) {
      const direction = new Vector3(Math.cos(base + azimuth), Math.sin(base + azimuth), elevation).normalize();
      const caster = new Raycaster();
      const seen = points.filter((point) => {
        caster.set(point.clone().addScaledVector(direction, reach), direction.clone().negate());
        // A rod that lies on a body is seen from outside: a hit near it does not count.
        caster.far = reach * (1 - 5e-3);
        return solids.length === 0 || caster.intersectObjects(solids, false).length === 0;
      });
      const score = seen.length / Math.max(1, points.length) - high - turned;
      if (score > best.score + 1e-9) best = { score, direction };
    }
  }
  return best.direction;
}
