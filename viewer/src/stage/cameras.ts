/** Where the picture is taken from. */

import { Box3, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Vertical field of view in degrees. */
const FIELD = 32;

/** Share of half the picture that is filled: sideways, upwards (the title is there), downwards. */
const FILL = { side: 0.88, up: 0.78, down: 0.88 };

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

  constructor(element: HTMLElement, private readonly focus: Box3, private readonly points: Vector3[], private readonly extent: number) {
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
    const { target, distance } = this.hold(direction);
    this.controls.target.copy(target);
    this.current.position.copy(target).addScaledVector(direction, distance);
    this.orthographic.zoom = 1;
    this.controls.update();
    this.sizeOrthographic();
  }

  /**
   * Target and least distance at which all points are in the picture, and as much room is left on one side as on the other.
   *
   * A camera at x₀, in a distance D along its axis, holds a point (x, z) if |x − x₀| ≤ s (D − z), where s is the slope of the
   * edge of the picture: x₀ ≥ x + s z − s D and x₀ ≤ x − s z + s D, for the greatest and the least of these sums over all
   * points. Without perspective, z is that of the target for all.
   */
  private hold(direction: Vector3): { target: Vector3; distance: number } {
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const depth = this.focus.getCenter(new Vector3()).dot(direction);
    const tan = Math.tan((FIELD * Math.PI) / 360);
    const least = (axis: Vector3, before: number, beyond: number) => {
      let [low, high] = [Infinity, -Infinity];
      for (const point of this.points) {
        const z = this.isOrthographic ? depth : point.dot(direction);
        low = Math.min(low, point.dot(axis) - before * z);
        high = Math.max(high, point.dot(axis) + beyond * z);
      }
      return { distance: (high - low) / (before + beyond), at: (d: number) => 0.5 * (high - beyond * d + low + before * d) };
    };
    const side = least(right, tan * this.aspect * FILL.side, tan * this.aspect * FILL.side);
    const height = least(up, tan * FILL.down, tan * FILL.up);
    const distance = Math.max(side.distance, height.distance, depth + 0.05 * this.extent);
    const target = direction.clone().multiplyScalar(depth).addScaledVector(right, side.at(distance)).addScaledVector(up, height.at(distance));
    return { target, distance: distance - depth };
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
    const before = this.hold(direction).distance;
    this.aspect = width / height;
    const ratio = this.hold(direction).distance / before;
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
