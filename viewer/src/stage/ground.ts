/**
 * A half-space, or a plane that only helps the eye: a grid that fades out. It has one light everywhere, so it needs none;
 * shadows lie on a second plane, which is not drawn without them.
 */

import { CircleGeometry, Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial } from "three";
import type { Theme } from "./palette";

export class Ground {
  readonly object = new Group();
  /** Lines are this far apart, m. */
  readonly step: number;
  private readonly material: ShaderMaterial;
  private readonly shade = new ShadowMaterial();
  private readonly shadow: Mesh;

  /** `extent` is the size of what is shown in m; `faint` draws lines and shadows only. */
  constructor(extent: number, private readonly faint = false) {
    this.step = roundStep(extent / 8);
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        gridStep: { value: this.step },
        fade: { value: 4 * extent },
        faint: { value: faint },
        ground: { value: new Color() },
        line: { value: new Color() },
        background: { value: new Color() },
      },
      // Behind what lies on it, where both have the same depth.
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
      // A faint ground lies below everything: drawn first, it needs no depth.
      depthTest: !faint,
      depthWrite: !faint,
    });
    // A disc as large as the grid is seen, so that no pixel is shaded in vain.
    const plane = new Mesh(new CircleGeometry(4 * extent, 96), this.material);
    plane.userData.ground = true;
    plane.renderOrder = faint ? -1 : 0;
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
uniform float gridStep;
uniform float fade;
varying vec2 vCell;
varying vec2 vPlane;
void main() {
  vCell = position.xy / gridStep;
  vPlane = position.xy / fade;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform bool faint;
uniform vec3 ground;
uniform vec3 line;
uniform vec3 background;
varying vec2 vCell;
varying vec2 vPlane;
void main() {
  vec2 slope = max(fwidth(vCell), 1e-6);
  vec2 nearest = floor(vCell + 0.5);
  vec2 off = abs(vCell - nearest);
  vec3 color = ground;
  bool onALine = any(lessThan(off, 1.1 * slope));
  // Most pixels lie between the lines.
  if (onALine) {
    // Every fifth line is stronger, and seen farther: lines closer than a pixel give way to an even tone.
    vec2 fifth = step(abs(nearest - 5.0 * floor(0.2 * nearest + 0.1)), vec2(0.5));
    vec2 weight = mix(0.3 * clamp(1.0 - 1.7 * slope, 0.0, 1.0), 0.55 * clamp(1.0 - 0.34 * slope, 0.0, 1.0), fifth);
    vec2 share = weight * clamp(1.1 - off / slope, 0.0, 1.0);
    color = mix(ground, line, max(share.x, share.y));
  }
  // A faint ground has the color of the background already.
  if (onALine || !faint) color = mix(color, background, smoothstep(0.05, 1.0, dot(vPlane, vPlane)));
  // Colors are those of the screen already: one conversion a frame, not one a pixel.
  gl_FragColor = vec4(color, 1.0);
}`;
