/** Where the picture is taken from. */

import { Box3, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Vertical field of view in degrees. */
const FIELD = 32;

export type Preset = "home" | "front" | "side" | "top";

/** Position and target (m) of a camera, and whether it is orthographic. */
export interface CameraPlace {
  position: [number, number, number];
  target: [number, number, number];
  orthographic: boolean;
}

export class Cameras {
  readonly perspective = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Direction from which the preset `home` looks. */
  home = new Vector3(0.42, -1, 0.4);
  private aspect = 1;
  private isOrthographic = false;
  private readonly lastFollowed = new Vector3();
  private follows = false;

  constructor(element: HTMLElement, private readonly focus: Box3, private readonly extent: number) {
    for (const camera of [this.perspective, this.orthographic]) {
      camera.up.set(0, 0, 1);
      camera.near = extent * 0.01;
      camera.far = extent * 60;
    }
    this.controls = new OrbitControls(this.perspective, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = extent * 0.02;
    this.controls.maxDistance = extent * 20;
    this.preset("home");
  }

  get current(): PerspectiveCamera | OrthographicCamera {
    return this.isOrthographic ? this.orthographic : this.perspective;
  }

  /** The direction from which a preset looks. */
  private direction(preset: Preset): Vector3 {
    // A little off the axis for top: z is up there too.
    if (preset === "top") return new Vector3(0, -1e-3, 1);
    if (preset === "front") return new Vector3(0, -1, 0.02);
    if (preset === "side") return new Vector3(1, 0, 0.02);
    return this.home.clone();
  }

  /** Looks at everything from a direction. */
  preset(preset: Preset): void {
    const direction = this.direction(preset).normalize();
    const center = this.focus.getCenter(new Vector3());
    this.controls.target.copy(center);
    this.current.position.copy(center).addScaledVector(direction, this.fitDistance(direction, center));
    this.orthographic.zoom = 1;
    this.controls.update();
    this.sizeOrthographic();
  }

  /** Distance at which all corners of the focus are in the picture. */
  private fitDistance(direction: Vector3, center: Vector3): number {
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const tan = Math.tan((FIELD * Math.PI) / 360);
    let distance = 0.05 * this.extent;
    for (let k = 0; k < 8; k++) {
      const { min, max } = this.focus;
      const corner = new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).sub(center);
      const across = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.aspect);
      distance = Math.max(distance, (1.18 * across) / tan + corner.dot(direction));
    }
    return distance;
  }

  setOrthographic(on: boolean): void {
    if (on === this.isOrthographic) return;
    const from = this.current;
    this.isOrthographic = on;
    this.current.position.copy(from.position);
    this.orthographic.zoom = 1;
    this.controls.object = this.current;
    this.controls.update();
    this.sizeOrthographic();
  }

  /** Moves with a point (m); null stays. */
  follow(point: Vector3 | null): void {
    if (point && this.follows) {
      const shift = point.clone().sub(this.lastFollowed);
      this.controls.target.add(shift);
      this.current.position.add(shift);
    }
    this.follows = point !== null;
    if (point) this.lastFollowed.copy(point);
  }

  /** The picture has another shape: the camera goes nearer or farther, so that it holds what it held. */
  resize(width: number, height: number): void {
    const { target } = this.controls;
    const direction = this.current.position.clone().sub(target).normalize();
    const before = this.fitDistance(direction, target);
    this.aspect = width / height;
    const ratio = this.fitDistance(direction, target) / before;
    if (Number.isFinite(ratio) && ratio > 0) this.current.position.sub(target).multiplyScalar(ratio).add(target);
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    this.sizeOrthographic();
  }

  private sizeOrthographic(): void {
    const distance = this.current.position.distanceTo(this.controls.target);
    const half = distance * Math.tan((FIELD * Math.PI) / 360);
    const camera = this.orthographic;
    [camera.left, camera.right, camera.top, camera.bottom] = [-half * this.aspect, half * this.aspect, half, -half];
    camera.updateProjectionMatrix();
  }

  /** Size of a pixel of a picture `height` pixels high in m: at a distance of 1 m in perspective, and without; 0 for the other. */
  pixelSize(height: number): [number, number] {
    if (!this.isOrthographic) return [(2 * Math.tan((FIELD * Math.PI) / 360)) / height, 0];
    const { top, bottom, zoom } = this.orthographic;
    return [0, (top - bottom) / zoom / height];
  }

  get place(): CameraPlace {
    return {
      position: this.current.position.toArray(),
      target: this.controls.target.toArray(),
      orthographic: this.isOrthographic,
    };
  }

  /** Takes a place; one that is not finite, or looks from its own target, is refused. */
  set place(place: CameraPlace) {
    const numbers = [...place.position, ...place.target];
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) {
      throw new Error("The camera asked for has a number that is not finite.");
    }
    if (new Vector3(...place.position).distanceTo(new Vector3(...place.target)) < 1e-9) {
      throw new Error("The camera asked for is at its own target.");
    }
    this.setOrthographic(place.orthographic);
    this.current.position.set(...place.position);
    this.controls.target.set(...place.target);
    this.controls.update();
    this.sizeOrthographic();
  }
}
