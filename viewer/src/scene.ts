/**
 * What does not change during a run: the `/scene` message of a recording. SI units, radians, z up.
 * Fields that this page does not need are left out; fields of later versions are passed over.
 */

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
/** Red, green, blue, opacity, each 0…1. */
export type Rgba = [number, number, number, number];

export interface SceneInfo {
  format: number;
  name: string;
  title: string;
  gravity: Vec3;
  dt: number;
  rods: RodInfo[];
  trees: TreeInfo[];
  clamps: string[];
  attachments: string[];
}

export interface RodInfo {
  name: string;
  closed: boolean;
  node_count: number;
  edge_count: number;
  /** Half the thickness of each edge along m1 and m2 in m. */
  half_extents: [number, number][];
  rest_lengths: number[];
  mass: number;
  /** Kind of the section, where it is said. */
  section?: string | null;
  color?: Rgba | null;
}

export interface TreeInfo {
  name: string;
  robot: boolean;
  links: LinkInfo[];
}

export interface LinkInfo {
  name: string;
  parent: number | null;
  joint: string;
  joint_kind: string;
  mass: number;
  shapes: ShapeInfo[];
  color?: Rgba | null;
}

export interface ShapeInfo {
  name: string | null;
  position: Vec3;
  quat_xyzw: Quat;
  geometry: Geometry;
}

export type Geometry =
  | { kind: "sphere"; radius: number }
  | { kind: "box"; size: Vec3 }
  | { kind: "cylinder"; radius: number; length: number }
  | { kind: "capsule"; radius: number; length: number }
  | { kind: "half_space" }
  | { kind: "mesh"; vertices: Vec3[]; triangles: Vec3[] };

/** An event of the run. */
export interface EventInfo {
  time: number;
  kind: string;
  name: string;
  detail: string;
}

/** Whether a section is drawn as a rectangle: as contact takes it, unless the scene says what it is. */
export function isRectangular(rod: RodInfo): boolean {
  if (rod.section) return rod.section === "rectangle";
  return rod.half_extents.some(([a, b]) => Math.abs(a - b) > 1e-6 * Math.max(a, b));
}

/** Where the nodes and links of each thing are in the arrays of a frame. */
export interface Layout {
  nodeCount: number;
  linkCount: number;
  /** First node of each rod, and the end of the last. */
  rodStart: number[];
  /** First link of each tree, and the end of the last. */
  treeStart: number[];
}

/** Counts the nodes and links of `scene`, and refuses one whose lists do not fit together. */
export function layoutOf(scene: SceneInfo): Layout {
  if (!Array.isArray(scene.rods) || !Array.isArray(scene.trees)) {
    throw new Error("The scene has no lists of rods and trees.");
  }
  const rodStart = [0];
  for (const rod of scene.rods) {
    const edges = rod.closed ? rod.node_count : rod.node_count - 1;
    const whole = Number.isInteger(rod.node_count) && rod.node_count >= 2;
    if (!whole || rod.edge_count !== edges || rod.half_extents.length !== edges) {
      throw new Error(`Rod '${rod.name}': its numbers of nodes, edges and half extents do not fit together.`);
    }
    rodStart.push(rodStart[rodStart.length - 1] + rod.node_count);
  }
  const treeStart = [0];
  for (const tree of scene.trees) {
    treeStart.push(treeStart[treeStart.length - 1] + tree.links.length);
  }
  return {
    nodeCount: rodStart[rodStart.length - 1],
    linkCount: treeStart[treeStart.length - 1],
    rodStart,
    treeStart,
  };
}

/** Index of the part that holds `index`, for the starts of a layout. */
export function partOf(starts: number[], index: number): number {
  let part = 0;
  while (part + 2 < starts.length && starts[part + 1] <= index) part++;
  return part;
}
