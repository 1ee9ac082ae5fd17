/** Contacts: a dot at each, an arrow for its force, and the polygons of patches colored by pressure. */

import {
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  MeshBasicMaterial,
  ShaderMaterial,
  SphereGeometry,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { CONTACT, type Frame } from "../frame";
import { mapColor } from "./palette";

/** Most contacts, and most corners of triangles of patches, that are drawn. */
const MOST_CONTACTS = 8192;
const MOST_CORNERS = 3 * 65536;

const VERTEX = /* glsl */ `
attribute vec3 point;
attribute vec3 force;
uniform float scale;
uniform float size;
varying float vShade;
void main() {
  #ifdef ARROW
  // A head of fixed size on a shaft of the length of the force; short forces have small heads.
  float reach = length(force) * scale;
  float head = min(1.0, reach / (4.0 * size));
  vec3 z = reach > 0.0 ? force / length(force) : vec3(0.0, 0.0, 1.0);
  vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
  vec3 y = cross(z, x);
  float along = position.z > 1.5 ? reach + (position.z - 2.0) * size * head : position.z * reach;
  vec3 place = point + size * head * (position.x * x + position.y * y) + along * z;
  vec3 normalHere = normal.x * x + normal.y * y + normal.z * z;
  #else
  vec3 place = point + size * position;
  vec3 normalHere = normal;
  #endif
  vShade = 0.72 + 0.28 * normalize(normalMatrix * normalHere).z;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(place, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
varying float vShade;
void main() {
  gl_FragColor = vec4(color * vShade, 1.0);
  #include <colorspace_fragment>
}`;

export class Contacts {
  readonly points = new Group();
  readonly forces = new Group();
  readonly patches = new Group();
  private readonly numbers = new Float32Array(CONTACT * MOST_CONTACTS);
  private readonly buffer = new InstancedInterleavedBuffer(this.numbers, CONTACT, 1);
  private readonly shapes: InstancedBufferGeometry[] = [];
  private readonly arrow: ShaderMaterial;
  private readonly dot: ShaderMaterial;
  private readonly patch = new BufferGeometry();
  private readonly patchPlaces = new Float32Array(3 * MOST_CORNERS);
  private readonly patchColors = new Float32Array(3 * MOST_CORNERS);

  /** `radius` of the thinnest rod and `extent` of what is shown, m. */
  constructor(radius: number, extent: number) {
    this.buffer.setUsage(DynamicDrawUsage);
    this.dot = this.material([0.78, 0.02, 0.05], false, Math.max(0.45 * radius, 0.003 * extent));
    this.arrow = this.material([0.93, 0.42, 0.02], true, Math.max(0.35 * radius, 0.0045 * extent));
    this.points.add(this.instanced(new SphereGeometry(1, 10, 6), this.dot));
    this.forces.add(this.instanced(arrowShape(), this.arrow));
    this.patch.setAttribute("position", new BufferAttribute(this.patchPlaces, 3).setUsage(DynamicDrawUsage));
    this.patch.setAttribute("color", new BufferAttribute(this.patchColors, 3).setUsage(DynamicDrawUsage));
    const material = new MeshBasicMaterial({ vertexColors: true, side: DoubleSide, depthTest: false, transparent: true, opacity: 0.85 });
    const mesh = new Mesh(this.patch, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    this.patches.add(mesh);
  }

  private material(color: number[], arrow: boolean, size: number): ShaderMaterial {
    const uniforms = { color: { value: color }, scale: { value: 1 }, size: { value: size } };
    const defines: Record<string, string> = arrow ? { ARROW: "" } : {};
    return new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, defines });
  }

  private instanced(shape: BufferGeometry, material: ShaderMaterial): Mesh {
    const geometry = new InstancedBufferGeometry();
    geometry.index = shape.index;
    geometry.setAttribute("position", shape.getAttribute("position"));
    geometry.setAttribute("normal", shape.getAttribute("normal"));
    geometry.setAttribute("point", new InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("force", new InterleavedBufferAttribute(this.buffer, 3, 3));
    geometry.instanceCount = 0;
    this.shapes.push(geometry);
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    return mesh;
  }

  /** Length of an arrow in m for a force of 1 N. */
  setForceScale(scale: number): void {
    this.arrow.uniforms.scale.value = scale;
  }

  /** Takes the contacts of `frame`; `peak` is the pressure at the top of the color map in Pa. */
  update(frame: Frame, peak: number): void {
    const count = Math.min(frame.contacts.length / CONTACT, MOST_CONTACTS);
    this.numbers.set(frame.contacts.subarray(0, CONTACT * count));
    this.buffer.needsUpdate = true;
    for (const shape of this.shapes) shape.instanceCount = count;
    this.updatePatches(frame, peak);
  }

  private updatePatches(frame: Frame, peak: number): void {
    const { pressure, corners, points } = frame.polygons;
    let [from, to] = [0, 0];
    for (let p = 0; p < pressure.length; p++) {
      const color = mapColor("sequential", peak > 0 ? pressure[p] / peak : 0);
      for (let k = 1; k + 1 < corners[p] && to + 3 <= MOST_CORNERS; k++) {
        for (const corner of [0, k, k + 1]) {
          const at = 3 * (from + corner);
          this.patchPlaces.set(points.subarray(at, at + 3), 3 * to);
          this.patchColors.set([color.r, color.g, color.b], 3 * to);
          to++;
        }
      }
      from += corners[p];
    }
    this.patch.setDrawRange(0, to);
    for (const name of ["position", "color"]) this.patch.getAttribute(name).needsUpdate = true;
  }
}

/** A shaft from z = 0 to 1, in lengths of the force, and a head above 1.5, in sizes from 2 on. */
function arrowShape(): BufferGeometry {
  const shaft = new CylinderGeometry(0.38, 0.38, 1, 8, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const head = new ConeGeometry(1, 2.4, 12, 1).rotateX(Math.PI / 2);
  const places = head.getAttribute("position");
  // The rim at 1.8, the tip at 4.2.
  for (let i = 0; i < places.count; i++) places.setZ(i, places.getZ(i) + 3);
  const merged = mergeGeometries([shaft, head]);
  return merged ?? shaft;
}
