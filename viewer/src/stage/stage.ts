/** The picture: renderer, lights, and all that is drawn. */

import {
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  Scene,
  Vector3,
  WebGLRenderer,
  type Box3,
  type DataTexture,
  type Object3D,
} from "three";
import type { Bounds } from "../bounds";
import type { Frame } from "../frame";
import type { Layout, SceneInfo } from "../scene";
import { Bodies } from "./bodies";
import { Cameras } from "./cameras";
import { Contacts } from "./contacts";
import { Ground } from "./ground";
import { mapTexture, THEMES, type ColorMap } from "./palette";
import { Rods, type Fineness } from "./rods";
import { viewpoint } from "./viewpoint";

/** Most pixels of a picture. */
const MOST_PIXELS = 16e6;

export interface StageOptions extends Fineness {
  /** Whether edges are smoothed by multisampling. */
  antialias: boolean;
  shadows: boolean;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly cameras: Cameras;
  readonly rods: Rods;
  readonly bodies: Bodies;
  readonly contacts: Contacts;
  readonly extent: number;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly hemisphere = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly fill = new DirectionalLight();
  private readonly floor: Ground;
  private readonly maps: Record<ColorMap, DataTexture>;
  private readonly focus: Box3;
  private dirty = true;
  /** Frames drawn so far. */
  drawn = 0;

  constructor(parent: HTMLElement, info: SceneInfo, layout: Layout, bounds: Bounds, options: StageOptions) {
    this.focus = bounds.focus;
    this.canvas = document.createElement("canvas");
    // Not transparent, which three.js would ask for: a page that need not blend the picture is drawn faster.
    const context = this.canvas.getContext("webgl2", { alpha: false, antialias: options.antialias, stencil: false });
    if (!context) throw new Error("This browser has no WebGL 2, or has it switched off.");
    this.renderer = new WebGLRenderer({ canvas: this.canvas, context });
    this.canvas.setAttribute("aria-label", "The scene");
    parent.append(this.canvas);
    this.renderer.shadowMap.enabled = options.shadows;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.extent = bounds.focus.getSize(new Vector3()).length();
    this.maps = { sequential: mapTexture("sequential"), diverging: mapTexture("diverging") };
    this.rods = new Rods(info, layout, options, this.maps.sequential);
    this.bodies = new Bodies(info, layout, this.extent);
    this.contacts = new Contacts(thickness(info, this.extent), this.extent);
    this.floor = new Ground(this.extent, true);
    this.placeFloor(bounds.all);
    const { points, forces, patches } = this.contacts;
    this.scene.add(this.rods.group, this.bodies.group, points, forces, patches, this.floor.object);
    this.placeLights(bounds.focus);
    this.cameras = new Cameras(this.canvas, bounds.focus, bounds.points, this.extent);
    this.cameras.controls.addEventListener("change", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(parent);
    this.resize();
  }

  /** Lines of the ground are this far apart, m. */
  get gridStep(): number {
    return this.floor.step;
  }

  /** Takes the size that the page gives it now, and looks at everything from where the rods of `frames` are seen best. */
  fit(frames: Frame[]): void {
    this.resize();
    this.cameras.home = viewpoint(this.focus, this.bodies.group, frames, (frame) => this.bodies.update(frame));
    this.cameras.preset("home");
    this.invalidate();
  }

  /** A scene without ground gets a faint plane below all that happens. */
  private placeFloor(all: Box3): void {
    const center = all.getCenter(new Vector3());
    const room = 0.04 * this.extent;
    this.floor.object.position.set(center.x, center.y, all.min.z - room);
    this.floor.object.visible = this.bodies.grounds.length === 0;
  }

  private placeLights(box: Box3): void {
    const center = box.getCenter(new Vector3());
    const reach = 0.75 * this.extent;
    this.sun.position.copy(center).add(new Vector3(0.6, -0.75, 1.1).multiplyScalar(2 * this.extent));
    this.sun.target.position.copy(center);
    this.fill.position.copy(center).add(new Vector3(-1, 0.8, 0.4).multiplyScalar(this.extent));
    this.fill.target.position.copy(center);
    this.sun.castShadow = this.renderer.shadowMap.enabled;
    const { shadow } = this.sun;
    shadow.mapSize.set(2048, 2048);
    shadow.radius = 4;
    shadow.intensity = 0.7;
    shadow.normalBias = 0.0015 * this.extent;
    const { camera } = shadow;
    [camera.left, camera.right, camera.top, camera.bottom] = [-reach, reach, reach, -reach];
    [camera.near, camera.far] = [0.2 * this.extent, 6 * this.extent];
    this.scene.add(this.hemisphere, this.sun, this.sun.target, this.fill, this.fill.target);
  }

  setTheme(name: "light" | "dark"): void {
    const theme = THEMES[name];
    this.renderer.setClearColor(theme.background);
    const [sky, earth, hemisphere, sun, fill] = theme.light;
    this.hemisphere.color.set(sky);
    this.hemisphere.groundColor.set(earth);
    this.hemisphere.intensity = hemisphere;
    this.sun.intensity = sun;
    this.fill.intensity = fill;
    for (const ground of [...this.bodies.grounds, this.floor]) ground.setTheme(theme);
    this.invalidate();
  }

  setShadows(on: boolean): void {
    this.renderer.shadowMap.enabled = on;
    this.sun.castShadow = on;
    for (const ground of [...this.bodies.grounds, this.floor]) ground.setShadows(on);
    this.invalidate();
  }

  setGround(on: boolean): void {
    for (const ground of this.bodies.grounds) ground.object.visible = on;
    this.floor.object.visible = on && this.bodies.grounds.length === 0;
    this.invalidate();
  }

  /** Colors rods by their values in a range, or in their own colors. */
  setColoring(coloring: { map: ColorMap; range: [number, number] } | null): void {
    const { uniforms } = this.rods;
    uniforms.byValue.value = coloring !== null;
    if (coloring) {
      uniforms.valueRange.value = coloring.range;
      uniforms.colorMap.value = this.maps[coloring.map];
    }
    this.invalidate();
  }

  /** Shows a frame; `peak` is the pressure at the top of the color map in Pa. */
  show(frame: Frame, peak: number): void {
    this.rods.update(frame);
    this.bodies.update(frame);
    this.contacts.update(frame, peak);
    this.invalidate();
  }

  /** Adds something to the picture. */
  add(object: Object3D): void {
    this.scene.add(object);
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Draws if something has changed. */
  draw(): void {
    this.cameras.controls.update();
    const { width, height } = this.canvas;
    if (!this.dirty || width === 0 || height === 0) return;
    this.dirty = false;
    this.rods.uniforms.pixelSize.value = this.cameras.pixelSize(this.canvas.clientHeight);
    this.renderer.render(this.scene, this.cameras.current);
    this.drawn++;
  }

  private resize(): void {
    const parent = this.canvas.parentElement;
    if (!parent) return;
    const { clientWidth: width, clientHeight: height } = parent;
    // A page that is hidden has no size: nothing is drawn until it has one.
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2, Math.sqrt(MOST_PIXELS / (width * height))));
    this.renderer.setSize(width, height);
    this.cameras.resize(width, height);
    this.dirty = true;
    this.draw();
  }

  /** The picture as a PNG. */
  async screenshot(): Promise<Blob> {
    this.dirty = true;
    this.draw();
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser gave no picture."))), "image/png"),
    );
  }
}

/** Radius of the thinnest rod in m, and a share of the picture where there is none. */
function thickness(info: SceneInfo, extent: number): number {
  const all = info.rods.flatMap((rod) => rod.half_extents.map(([a, b]) => Math.max(a, b)));
  const thinnest = all.reduce((least, a) => Math.min(least, a), Infinity);
  return Number.isFinite(thinnest) ? Math.max(thinnest, 0.002 * extent) : 0.008 * extent;
}
