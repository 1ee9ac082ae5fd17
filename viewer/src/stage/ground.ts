/**
 * A half-space, or a plane that only helps the eye: a grid that fades out. It has one light everywhere, so it needs none;
 * shadows lie on a second plane, which is not drawn without them.
 */

import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";
import type { Theme } from "./palette";

export class Ground {
  readonly object = new Group();
  private readonly material: ShaderMaterial;
  private readonly shade = new ShadowMaterial();
  private readonly shadow: Mesh;

  /** `extent` is the size of what is shown in m; `faint` draws lines and shadows only. */
  constructor(extent: number, private readonly faint = false) {
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        gridStep: { value: roundStep(extent / 8) },
        fade: { value: 4 * extent },
        ground: { value: new Color() },
        line: { value: new Color() },
        background: { value: new Color() },
      },
      // Behind what lies on it, where both have the same depth.
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
    });
    const plane = new Mesh(new PlaneGeometry(12 * extent, 12 * extent), this.material);
    plane.userData.ground = true;
    this.shade.polygonOffset = true;
    this.shade.polygonOffsetFactor = this.shade.polygonOffsetUnits = 1;
    this.shadow = new Mesh(new PlaneGeometry(8 * extent, 8 * extent), this.shade);
    this.shadow.receiveShadow = true;
    this.shadow.userData.ground = true;
    this.object.add(plane, this.shadow);
  }

  setTheme(theme: Theme): void {
    const { ground, line, background } = this.material.uniforms;
    ground.value.copy(onScreen(this.faint ? theme.background : theme.ground));
    line.value.copy(onScreen(theme.line));
    background.value.copy(onScreen(theme.background));
    this.shade.opacity = theme.shadow;
  }

  setShadows(on: boolean): void {
    this.shadow.visible = on;
  }
}

/** A color as the screen takes it (sRGB). */
function onScreen(hex: number): Color {
  return new Color(hex).convertLinearToSRGB();
}

/** 1, 2 or 5 times a power of ten, at most `x`. */
function roundStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const share = x / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

const VERTEX = /* glsl */ `
varying vec2 vPlane;
void main() {
  vPlane = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform float gridStep;
uniform float fade;
uniform vec3 ground;
uniform vec3 line;
uniform vec3 background;
varying vec2 vPlane;
void main() {
  float far = dot(vPlane, vPlane) / (fade * fade);
  if (far > 1.0) discard;
  vec2 cell = vPlane / gridStep;
  vec2 slope = max(fwidth(cell), 1e-6);
  vec2 nearest = floor(cell + 0.5);
  vec2 onLine = clamp(1.1 - abs(cell - nearest) / slope, 0.0, 1.0);
  // Every fifth line is stronger, and seen farther: lines closer than a pixel give way to an even tone.
  vec2 fifth = step(abs(nearest - 5.0 * floor(0.2 * nearest + 0.1)), vec2(0.5));
  vec2 weight = mix(0.3 * clamp(1.0 - 1.7 * slope, 0.0, 1.0), 0.55 * clamp(1.0 - 0.34 * slope, 0.0, 1.0), fifth);
  onLine *= weight;
  vec3 color = mix(ground, line, max(onLine.x, onLine.y));
  // Colors are those of the screen already: one conversion a frame, not one a pixel.
  gl_FragColor = vec4(mix(color, background, smoothstep(0.05, 1.0, far)), 1.0);
}`;
