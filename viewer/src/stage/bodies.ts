/** Bodies and robots: a mesh for each shape, moved with its link. */

import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  SphereGeometry,
  type Object3D,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { LINK, type Frame } from "../frame";
import type { Geometry, Layout, SceneInfo } from "../scene";
import { Ground } from "./ground";
import { linkColor } from "./palette";

/** Edges sharper than this are drawn sharp, rad; those of meshes with few triangles, which are what things touch. */
const CREASE = 0.6;
const FACET = 0.02;
const FEW_TRIANGLES = 300;

interface Look {
  color: Color;
  opacity: number;
  robot: boolean;
}

export class Bodies {
  readonly group = new Group();
  readonly grounds: Ground[] = [];
  /** A group for each link, in the order of frames. */
  private readonly links: Group[] = [];
  private selected: Group | null = null;

  constructor(scene: SceneInfo, private readonly layout: Layout, extent: number) {
    const counts = { robots: 0, bodies: 0 };
    for (const tree of scene.trees) {
      const index = tree.robot ? counts.robots++ : counts.bodies++;
      tree.links.forEach((link, l) => {
        const group = new Group();
        group.userData.link = this.links.length;
        for (const shape of link.shapes) {
          const look = { color: linkColor(tree, index, l), opacity: link.color?.[3] ?? 1, robot: tree.robot };
          const object = this.object(shape.geometry, look, extent);
          object.position.set(...shape.position);
          object.quaternion.set(...shape.quat_xyzw);
          group.add(object);
        }
        this.links.push(group);
        this.group.add(group);
      });
    }
  }

  private object(geometry: Geometry, { color, opacity, robot }: Look, extent: number): Object3D {
    if (geometry.kind === "half_space") {
      const ground = new Ground(extent);
      this.grounds.push(ground);
      return ground.object;
    }
    const material = new MeshStandardMaterial({ color, roughness: robot ? 0.45 : 0.75, metalness: robot ? 0.08 : 0 });
    if (opacity < 1) Object.assign(material, { transparent: true, opacity, depthWrite: false });
    const mesh = new Mesh(solid(geometry), material);
    mesh.castShadow = opacity >= 0.5;
    mesh.receiveShadow = true;
    if (hasFacets(geometry)) mesh.add(facetEdges(mesh.geometry, color));
    if (geometry.kind === "cylinder" && !robot) mesh.add(spokes(geometry.radius, geometry.length, color));
    return mesh;
  }

  /** Takes the poses of `frame`. */
  update(frame: Frame): void {
    for (let l = 0; l < this.layout.linkCount; l++) {
      const [x, y, z, a, b, c, d] = frame.links.subarray(LINK * l, LINK * l + LINK);
      this.links[l].position.set(x, y, z);
      this.links[l].quaternion.set(a, b, c, d).normalize();
    }
  }

  /** Marks a link; null marks none. */
  select(link: number | null): void {
    this.mark(0);
    this.selected = link === null ? null : this.links[link];
    this.mark(0.16);
  }

  private mark(glow: number): void {
    this.selected?.traverse((object) => {
      if (object instanceof Mesh && object.material instanceof MeshStandardMaterial) {
        object.material.emissive.setScalar(glow);
      }
    });
  }
}

/** A solid with its axis along z, as the scene has it. */
function solid(geometry: Exclude<Geometry, { kind: "half_space" }>): BufferGeometry {
  switch (geometry.kind) {
    case "sphere":
      return new SphereGeometry(geometry.radius, 40, 24);
    case "box":
      return new BoxGeometry(...geometry.size);
    case "cylinder":
      return new CylinderGeometry(geometry.radius, geometry.radius, geometry.length, 56).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(geometry.radius, geometry.length, 12, 40).rotateX(Math.PI / 2);
    case "mesh": {
      const mesh = new BufferGeometry();
      mesh.setAttribute("position", new Float32BufferAttribute(geometry.vertices.flat(), 3));
      mesh.setIndex(geometry.triangles.flat());
      return toCreasedNormals(mesh, hasFacets(geometry) ? FACET : CREASE);
    }
  }
}

/** Whether the triangles of a mesh are to be seen. */
function hasFacets(geometry: Geometry): boolean {
  return geometry.kind === "mesh" && geometry.triangles.length <= FEW_TRIANGLES;
}

/** The edges between facets. */
function facetEdges(geometry: BufferGeometry, color: Color): LineSegments {
  return darkLines(new EdgesGeometry(geometry, (FACET * 180) / Math.PI), color);
}

/** A line from the axis of a cylinder to its rim on both ends, which shows that it turns. */
function spokes(radius: number, length: number, color: Color): LineSegments {
  const end = 0.5 * length + 2e-3 * radius;
  const places = [end, -end].flatMap((z) => [0, 0, z, radius, 0, z]);
  return darkLines(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(places, 3)), color);
}

/** Lines darker than the surface they lie on; a pointer does not meet them. */
function darkLines(geometry: BufferGeometry, color: Color): LineSegments {
  const dark = color.clone().multiplyScalar(0.45);
  const lines = new LineSegments(geometry, new LineBasicMaterial({ color: dark, transparent: true, opacity: 0.8 }));
  lines.raycast = () => {};
  return lines;
}
