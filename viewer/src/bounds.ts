/** The box that holds what is shown, over a run. */

import { Box3, Matrix4, Quaternion, Vector3 } from "three";
import { LINK, NODE, type Frame } from "./frame";
import type { Geometry, Layout, SceneInfo } from "./scene";

/** Nodes of which a camera holds all. */
const MOST_NODES = 4000;

/** Half the diagonal of a shape about its own origin; a half-space has none. */
function halfBox(geometry: Geometry): Box3 | null {
  const about = (x: number, y: number, z: number) => new Box3(new Vector3(-x, -y, -z), new Vector3(x, y, z));
  switch (geometry.kind) {
    case "sphere":
      return about(geometry.radius, geometry.radius, geometry.radius);
    case "box":
      return about(geometry.size[0] / 2, geometry.size[1] / 2, geometry.size[2] / 2);
    case "cylinder":
      return about(geometry.radius, geometry.radius, geometry.length / 2);
    case "capsule":
      return about(geometry.radius, geometry.radius, geometry.length / 2 + geometry.radius);
    case "half_space":
      return null;
    case "mesh":
      return new Box3().setFromPoints(geometry.vertices.map((v) => new Vector3(...v)));
  }
}

/** Box of all nodes of `frames`. */
function nodeBox(frames: Frame[]): Box3 {
  const box = new Box3();
  const point = new Vector3();
  for (const { nodes } of frames) {
    for (let at = 0; at < nodes.length; at += NODE) box.expandByPoint(point.set(nodes[at], nodes[at + 1], nodes[at + 2]));
  }
  return box;
}

/** About `MOST_NODES` of the nodes of `frames`. */
function someNodes(frames: Frame[]): Vector3[] {
  const count = frames.reduce((sum, { nodes }) => sum + nodes.length / NODE, 0);
  const stride = NODE * Math.max(1, Math.ceil(count / MOST_NODES));
  return frames.flatMap(({ nodes }) =>
    Array.from({ length: Math.ceil(nodes.length / stride) }, (_, k) => new Vector3().fromArray(nodes, stride * k)),
  );
}

function corners({ min, max }: Box3): Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}

/** Boxes of all shapes in `frames`, by tree. */
function shapeBoxes(scene: SceneInfo, layout: Layout, frames: Frame[]): Box3[][] {
  return scene.trees.map((tree, t) => {
    const boxes: Box3[] = [];
    tree.links.forEach((link, l) => {
      for (const shape of link.shapes) {
        const own = halfBox(shape.geometry);
        if (!own) continue;
        const inLink = new Matrix4().compose(new Vector3(...shape.position), new Quaternion(...shape.quat_xyzw), new Vector3(1, 1, 1));
        const box = new Box3();
        for (const { links } of frames) {
          const at = LINK * (layout.treeStart[t] + l);
          const [x, y, z, a, b, c, d] = links.subarray(at, at + LINK);
          const inWorld = new Matrix4().compose(new Vector3(x, y, z), new Quaternion(a, b, c, d), new Vector3(1, 1, 1));
          box.union(own.clone().applyMatrix4(inWorld.multiply(inLink)));
        }
        boxes.push(box);
      }
    });
    return boxes;
  });
}

export interface Bounds {
  /** The box of what a camera should hold. */
  focus: Box3;
  /** What it should hold: nodes, and the corners of the boxes of shapes. */
  points: Vector3[];
  /** All rods and all bodies but half-spaces. */
  all: Box3;
}

/**
 * Bounds over `frames`. A robot or body near the rods is in the focus as a whole; shapes much larger than the rods (tables,
 * walls) and what is far away do not widen it.
 */
export function boundsOf(scene: SceneInfo, layout: Layout, frames: Frame[]): Bounds {
  const rods = nodeBox(frames);
  const trees = shapeBoxes(scene, layout, frames);
  const all = trees.flat().reduce((sum, box) => sum.union(box), rods.clone());
  const focus = rods.clone();
  const points = someNodes(frames);
  const hold = (box: Box3) => {
    focus.union(box);
    points.push(...corners(box));
  };
  const size = rods.isEmpty() ? Infinity : rods.getSize(new Vector3()).length();
  const wide = rods.isEmpty() ? rods : rods.clone().expandByScalar(0.5 * size);
  const fits = (box: Box3, most: number) => box.getSize(new Vector3()).length() <= most * size && (rods.isEmpty() || box.intersectsBox(wide));
  for (const boxes of trees) {
    const whole = boxes.reduce((sum, box) => sum.union(box), new Box3());
    const near = fits(whole, 4) ? boxes : boxes.filter((box) => fits(box, 2.5));
    near.forEach(hold);
  }
  for (const box of [focus, all]) {
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
  }
  return { focus, points: points.length > 0 ? points : corners(focus), all };
}
