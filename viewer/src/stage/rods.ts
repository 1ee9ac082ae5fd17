/** All rods of a scene in at most four draws: round and rectangular tubes, and their caps. */

import {
  BufferGeometry,
  DataTexture,
  Float32BufferAttribute,
  FloatType,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  MeshDepthMaterial,
  MeshLambertMaterial,
  NearestFilter,
  RGBADepthPacking,
  RGBAFormat,
  type IUniform,
  type Material,
  type Texture,
} from "three";
import type { Frame } from "../frame";
import { isRectangular, type Layout, type SceneInfo } from "../scene";
import { rodColor } from "./palette";
import { placeNodes } from "./rod_nodes";
import { ROD_FRAGMENT_COLOR, ROD_FRAGMENT_HEAD, ROD_VERTEX_HEAD, TEXELS, TEXTURE_WIDTH } from "./rod_shader";

type Uniforms = Record<string, IUniform>;

/** How finely a tube is drawn. */
export interface Fineness {
  /** Sides of a round section. */
  sides: number;
  /** Rings along an edge. */
  segments: number;
}

export class Rods {
  readonly group = new Group();
  readonly uniforms: Uniforms;
  /** Value of each node, by which it is colored. */
  readonly values: Float32Array;
  private readonly texels: Float32Array;
  private readonly texture: DataTexture;

  constructor(
    private readonly scene: SceneInfo,
    private readonly layout: Layout,
    fineness: Fineness,
    colorMap: Texture,
  ) {
    const rows = Math.max(1, Math.ceil((TEXELS * layout.nodeCount) / TEXTURE_WIDTH));
    this.texels = new Float32Array(4 * TEXTURE_WIDTH * rows);
    this.values = new Float32Array(layout.nodeCount);
    this.texture = new DataTexture(this.texels, TEXTURE_WIDTH, rows, RGBAFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
    this.uniforms = {
      nodeTexture: { value: this.texture },
      colorMap: { value: colorMap },
      byValue: { value: false },
      valueRange: { value: [0, 1] },
      stripe: { value: 1 },
      pixelSize: { value: [0, 0] },
      selectedRod: { value: -1 },
    };
    // Ropes are matte: a highlight would cost as much as all the rest of their shading.
    const material = new MeshLambertMaterial();
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    sweep(material, this.uniforms, true);
    sweep(depth, this.uniforms, false);
    for (const rectangular of [false, true]) {
      const rods = [...scene.rods.keys()].filter((r) => isRectangular(scene.rods[r]) === rectangular);
      const length = stretchLength(rods.map((r) => scene.rods[r].edge_count));
      const rim = rectangular ? rectangleRim() : roundRim(fineness.sides);
      const capFineness = rectangular ? 1 : Math.max(2, Math.round(fineness.sides / 4));
      for (const [rings, caps] of [[tubeRings(length, fineness.segments), false], [capRings(capFineness), true]] as const) {
        const stretches = stretchesOf(scene, layout, rods, caps ? null : length);
        if (stretches.count === 0) continue;
        const mesh = new Mesh(instanced(lattice(rings, rim, rectangular), stretches), material);
        mesh.customDepthMaterial = depth;
        mesh.frustumCulled = false;
        mesh.castShadow = mesh.receiveShadow = true;
        this.group.add(mesh);
      }
    }
  }

  /** Takes the positions and directors of `frame`. */
  update(frame: Frame): void {
    this.scene.rods.forEach((rod, r) => placeNodes(this.texels, frame.nodes, this.layout.rodStart[r], rod));
    this.texture.needsUpdate = true;
  }

  /** Takes `values`, which have changed. */
  valuesChanged(): void {
    for (let i = 0; i < this.layout.nodeCount; i++) this.texels[4 * TEXELS * i + 3] = this.values[i];
    this.texture.needsUpdate = true;
  }
}

/** Makes `material` draw swept rods. */
function sweep(material: Material, uniforms: Uniforms, lit: boolean): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    const compute = "vec3 rodPlace, rodNormal;\nrodSurface(rodPlace, rodNormal);\n";
    let vertex = shader.vertexShader.replace("#include <common>", `#include <common>\n${ROD_VERTEX_HEAD}`);
    if (lit) {
      vertex = vertex
        .replace("#include <beginnormal_vertex>", `${compute}vec3 objectNormal = rodNormal;`)
        .replace("#include <begin_vertex>", "vec3 transformed = rodPlace;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${ROD_FRAGMENT_HEAD}`)
        .replace("#include <color_fragment>", `#include <color_fragment>\n${ROD_FRAGMENT_COLOR}`);
    } else {
      vertex = vertex.replace("#include <begin_vertex>", `${compute}vec3 transformed = rodPlace;`);
    }
    shader.vertexShader = vertex;
  };
  material.customProgramCacheKey = () => `rod ${lit}`;
}

interface Stretches {
  count: number;
  stretch: number[];
  part: number[];
  color: number[];
}

/**
 * Edges of a stretch. An instance has a price of its own, in software about that of a hundred vertices; so stretches are
 * long, but such that rods are cut into equal ones, since the rest of a stretch is drawn too, on one spot.
 */
function stretchLength(edgeCounts: number[]): number {
  const most = Math.max(1, ...edgeCounts);
  return Math.ceil(most / Math.ceil(most / 64));
}

/** Stretches of `length` edges of the rods numbered `rods`; without a length, their two ends if they are open. */
function stretchesOf(scene: SceneInfo, layout: Layout, rods: number[], length: number | null): Stretches {
  const all: Stretches = { count: 0, stretch: [], part: [], color: [] };
  for (const r of rods) {
    const rod = scene.rods[r];
    const color = rodColor(rod, r);
    const add = (edge: number, count: number, end: number) => {
      all.count++;
      all.stretch.push(layout.rodStart[r], rod.node_count, edge, count);
      all.part.push(r, end);
      all.color.push(color.r, color.g, color.b);
    };
    if (length !== null) {
      for (let e = 0; e < rod.edge_count; e += length) add(e, Math.min(length, rod.edge_count - e), 0);
    } else if (!rod.closed) {
      add(0, 1, -1);
      add(rod.edge_count - 1, 1, 1);
    }
  }
  return all;
}

function instanced(shape: BufferGeometry, stretches: Stretches): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.index = shape.index;
  for (const name of ["position", "normal", "ring", "rim"]) geometry.setAttribute(name, shape.getAttribute(name));
  const add = (name: string, numbers: number[], size: number) =>
    geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(numbers), size));
  add("stretch", stretches.stretch, 4);
  add("rodPart", stretches.part, 2);
  add("stretchColor", stretches.color, 3);
  geometry.instanceCount = stretches.count;
  return geometry;
}

/** Rings of a tube: edge, place along it, whole section, no offset. */
function tubeRings(edges: number, segments: number): number[][] {
  const rings = [[0, 0, 1, 0]];
  for (let e = 0; e < edges; e++) {
    for (let k = 1; k <= segments; k++) rings.push([e, k / segments, 1, 0]);
  }
  return rings;
}

/** Rings of a half ball at an end. */
function capRings(count: number): number[][] {
  return Array.from({ length: count + 1 }, (_, k) => {
    const angle = (0.5 * Math.PI * k) / count;
    return [0, 0, Math.cos(angle), Math.sin(angle)];
  });
}

/** Places and normals round a circle. */
function roundRim(sides: number): number[][] {
  return Array.from({ length: sides }, (_, k) => {
    const angle = (2 * Math.PI * k) / sides;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [c, s, c, s];
  });
}

/** The corners of a square, each twice: once for each face. */
function rectangleRim(): number[][] {
  const faces = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  return faces.flatMap(([x, y]) => [
    [x + y, y - x, x, y],
    [x - y, y + x, x, y],
  ]);
}

/**
 * Triangles between neighboring rings. Rings of eight vertices are what a renderer in software draws best: two of them fill its cache of
 * shaded vertices, so that each is shaded once.
 */
function lattice(rings: number[][], rim: number[][], rectangular: boolean): BufferGeometry {
  const [ringOf, rimOf, index]: [number[], number[], number[]] = [[], [], []];
  for (const ring of rings) {
    for (const place of rim) {
      ringOf.push(...ring);
      rimOf.push(...place);
    }
  }
  const m = rim.length;
  for (let k = 0; k + 1 < rings.length; k++) {
    // A rectangle has two vertices at each corner, and nothing between them.
    for (let s = 0; s < m; s += rectangular ? 2 : 1) {
      const next = (s + 1) % m;
      const [a, b] = [k * m, (k + 1) * m];
      index.push(a + s, a + next, b + s, b + s, a + next, b + next);
    }
  }
  const geometry = new BufferGeometry();
  const count = rings.length * m;
  geometry.setIndex(index);
  // three.js asks for these two; the shader does not read them.
  geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * count), 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(new Float32Array(3 * count), 3));
  geometry.setAttribute("ring", new Float32BufferAttribute(ringOf, 4));
  geometry.setAttribute("rim", new Float32BufferAttribute(rimOf, 4));
  return geometry;
}
