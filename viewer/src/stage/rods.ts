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
  MeshStandardMaterial,
  NearestFilter,
  RGBADepthPacking,
  RGBAFormat,
  RedFormat,
  type IUniform,
  type Material,
  type Texture,
} from "three";
import { NODE, type Frame } from "../frame";
import type { Layout, SceneInfo } from "../scene";
import { rodColor } from "./palette";
import { ROD_FRAGMENT_COLOR, ROD_FRAGMENT_HEAD, ROD_VERTEX_HEAD, TEXTURE_WIDTH } from "./rod_shader";

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
  private readonly nodes: Float32Array;
  private readonly nodeTexture: DataTexture;
  private readonly valueTexture: DataTexture;

  constructor(
    scene: SceneInfo,
    private readonly layout: Layout,
    fineness: Fineness,
    colorMap: Texture,
  ) {
    const rows = Math.max(1, Math.ceil(layout.nodeCount / TEXTURE_WIDTH));
    this.nodes = new Float32Array(4 * TEXTURE_WIDTH * rows);
    this.values = new Float32Array(TEXTURE_WIDTH * rows);
    this.nodeTexture = new DataTexture(this.nodes, TEXTURE_WIDTH, rows, RGBAFormat, FloatType);
    this.valueTexture = new DataTexture(this.values, TEXTURE_WIDTH, rows, RedFormat, FloatType);
    for (const texture of [this.nodeTexture, this.valueTexture]) {
      texture.minFilter = texture.magFilter = NearestFilter;
      texture.needsUpdate = true;
    }
    this.uniforms = {
      nodeTexture: { value: this.nodeTexture },
      valueTexture: { value: this.valueTexture },
      colorMap: { value: colorMap },
      byValue: { value: false },
      valueRange: { value: [0, 1] },
      stripe: { value: 1 },
      selectedRod: { value: -1 },
    };
    const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
    sweep(material, this.uniforms, true);
    sweep(depth, this.uniforms, false);
    for (const rectangular of [false, true]) {
      const rim = rectangular ? rectangleRim() : roundRim(fineness.sides);
      for (const caps of [false, true]) {
        const edges = edgeInstances(scene, layout, rectangular, caps);
        if (edges.count === 0) continue;
        const rings = caps ? capRings(rectangular ? 1 : Math.max(2, fineness.sides / 4)) : tubeRings(fineness.segments);
        const mesh = new Mesh(instanced(lattice(rings, rim), edges), material);
        mesh.customDepthMaterial = depth;
        mesh.frustumCulled = false;
        mesh.castShadow = mesh.receiveShadow = true;
        this.group.add(mesh);
      }
    }
  }

  /** Takes the positions of `frame`. */
  update(frame: Frame): void {
    for (let i = 0; i < this.layout.nodeCount; i++) {
      for (let c = 0; c < 4; c++) this.nodes[4 * i + c] = frame.nodes[NODE * i + c];
    }
    this.nodeTexture.needsUpdate = true;
  }

  /** Says that `values` have changed. */
  valuesChanged(): void {
    this.valueTexture.needsUpdate = true;
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

interface Edges {
  count: number;
  nodes: number[];
  form: number[];
  color: number[];
}

function edgeInstances(scene: SceneInfo, layout: Layout, rectangular: boolean, caps: boolean): Edges {
  const edges: Edges = { count: 0, nodes: [], form: [], color: [] };
  scene.rods.forEach((rod, r) => {
    if ((rod.section === "rectangle") !== rectangular || (caps && rod.closed)) return;
    const color = rodColor(rod, r);
    const [start, n] = [layout.rodStart[r], rod.node_count];
    const node = (i: number) => start + (rod.closed ? (i + n) % n : Math.min(Math.max(i, 0), n - 1));
    const add = (e: number, end: number) => {
      edges.count++;
      edges.nodes.push(node(e - 1), node(e), node(e + 1), node(e + 2));
      edges.form.push(...rod.half_extents[e], r, end);
      edges.color.push(color.r, color.g, color.b);
    };
    if (caps) {
      add(0, -1);
      add(rod.edge_count - 1, 1);
    } else {
      for (let e = 0; e < rod.edge_count; e++) add(e, 0);
    }
  });
  return edges;
}

function instanced(shape: BufferGeometry, edges: Edges): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.index = shape.index;
  for (const name of ["position", "normal", "ring", "rim"]) geometry.setAttribute(name, shape.getAttribute(name));
  const add = (name: string, numbers: number[], size: number) =>
    geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(numbers), size));
  add("edgeNodes", edges.nodes, 4);
  add("edgeForm", edges.form, 4);
  add("edgeColor", edges.color, 3);
  geometry.instanceCount = edges.count;
  return geometry;
}

/** Rings of a tube: place along the edge, whole section, no offset. */
function tubeRings(segments: number): number[][] {
  return Array.from({ length: segments + 1 }, (_, k) => [k / segments, 1, 0]);
}

/** Rings of a half ball at an end. */
function capRings(count: number): number[][] {
  return Array.from({ length: Math.round(count) + 1 }, (_, k) => {
    const angle = (0.5 * Math.PI * k) / Math.round(count);
    return [0, Math.cos(angle), Math.sin(angle)];
  });
}

/** Places and normals round a circle. */
function roundRim(sides: number): number[][] {
  return Array.from({ length: sides + 1 }, (_, k) => {
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

/** Triangles between neighboring rings. */
function lattice(rings: number[][], rim: number[][]): BufferGeometry {
  const [ringOf, rimOf, index]: [number[], number[], number[]] = [[], [], []];
  for (const ring of rings) {
    for (const place of rim) {
      ringOf.push(...ring);
      rimOf.push(...place);
    }
  }
  const m = rim.length;
  for (let k = 0; k + 1 < rings.length; k++) {
    for (let s = 0; s + 1 < m; s++) {
      const [a, b] = [k * m + s, (k + 1) * m + s];
      index.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }
  const geometry = new BufferGeometry();
  const count = rings.length * m;
  geometry.setIndex(index);
  // three.js asks for these two; the shader does not read them.
  geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * count), 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(new Float32Array(3 * count), 3));
  geometry.setAttribute("ring", new Float32BufferAttribute(ringOf, 3));
  geometry.setAttribute("rim", new Float32BufferAttribute(rimOf, 4));
  return geometry;
}
