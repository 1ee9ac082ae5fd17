/** A half-space, or a plane that only helps the eye: a grid that fades out, with shadows on it. */

import { Color, DoubleSide, Mesh, MeshLambertMaterial, PlaneGeometry } from "three";
import type { Theme } from "./palette";

export class Ground {
  readonly mesh: Mesh;
  private readonly uniforms = {
    gridStep: { value: 0.1 },
    gridColor: { value: new Color() },
    fade: { value: 1 },
  };
  private readonly material: MeshLambertMaterial;

  /** `extent` is the size of what is shown in m; `faint` draws lines and shadows only. */
  constructor(extent: number, private readonly faint = false) {
    this.uniforms.gridStep.value = roundStep(extent / 8);
    this.uniforms.fade.value = 4 * extent;
    this.material = new MeshLambertMaterial({ transparent: true, side: DoubleSide });
    // Behind what lies on it, where both have the same depth.
    this.material.polygonOffset = true;
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = 1;
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlane = position.xy;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${HEAD}`)
        .replace("#include <color_fragment>", `#include <color_fragment>\n${GRID}`);
    };
    this.material.customProgramCacheKey = () => "ground";
    this.mesh = new Mesh(new PlaneGeometry(12 * extent, 12 * extent), this.material);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -1;
    this.mesh.userData.ground = true;
  }

  setTheme(theme: Theme): void {
    this.material.color.set(this.faint ? theme.background : theme.ground);
    this.uniforms.gridColor.value.set(theme.line);
  }
}

/** 1, 2 or 5 times a power of ten, at most `x`. */
export function roundStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const share = x / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

const HEAD = /* glsl */ `
uniform float gridStep;
uniform vec3 gridColor;
uniform float fade;
varying vec2 vPlane;
float gridLine(vec2 at, float step, float width) {
  vec2 cell = at / step;
  vec2 slope = max(fwidth(cell), 1e-6);
  vec2 off = abs(fract(cell - 0.5) - 0.5) / slope;
  // Lines closer than a pixel give way to an even tone.
  vec2 shown = clamp(width - off, 0.0, 1.0) * clamp(0.6 - slope, 0.0, 1.0);
  return max(shown.x, shown.y);
}
`;

const GRID = /* glsl */ `
float fine = gridLine(vPlane, gridStep, 1.0), coarse = gridLine(vPlane, 5.0 * gridStep, 1.15);
diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, max(0.3 * fine, 0.55 * coarse));
float far = length(vPlane) / fade;
diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, far);
`;
