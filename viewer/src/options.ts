/** What the address of the page asks for after `#`, such as `#theme=dark&color=tension&t=0.5`. */

import type { CameraPlace } from "./stage/cameras";
import type { StageOptions } from "./stage/stage";

export class Options {
  readonly theme: "light" | "dark";
  readonly color: string;
  readonly shadows: boolean;
  readonly time: number | null;
  readonly play: boolean;
  readonly panel: boolean;
  readonly camera: CameraPlace | null;
  private readonly sides: number | null;
  private readonly antialias: boolean;

  /** Refuses what is not understood, with its name. */
  constructor(hash: string) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const theme = given.get("theme") ?? (dark ? "dark" : "light");
    if (theme !== "light" && theme !== "dark") throw new Error(`theme=${theme}: expected light or dark.`);
    this.theme = theme;
    this.color = given.get("color") ?? "";
    this.shadows = flag(given, "shadows", true);
    this.antialias = flag(given, "antialias", true);
    this.play = flag(given, "play", true);
    this.panel = flag(given, "panel", true);
    this.time = number(given, "t", -Infinity, Infinity);
    this.sides = number(given, "sides", 3, 64);
    this.camera = camera(given);
  }

  /** How finely a scene of `nodeCount` nodes is drawn. */
  stage(nodeCount: number): StageOptions {
    const many = nodeCount > 1500;
    const sides = Math.round(this.sides ?? (many ? 10 : 18));
    // Who asks for few sides wants speed.
    const segments = nodeCount > 6000 || sides <= 8 ? 1 : many ? 2 : 4;
    return { sides, segments, antialias: this.antialias, shadows: this.shadows };
  }
}

function flag(given: URLSearchParams, name: string, otherwise: boolean): boolean {
  const value = given.get(name);
  if (value === null) return otherwise;
  if (value !== "0" && value !== "1") throw new Error(`${name}=${value}: expected 0 or 1.`);
  return value === "1";
}

function number(given: URLSearchParams, name: string, least: number, most: number): number | null {
  const text = given.get(name);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || value > most) {
    throw new Error(`${name}=${text}: expected a number${least > -Infinity ? ` from ${least} to ${most}` : ""}.`);
  }
  return value;
}

/** `camera=x,y,z,tx,ty,tz` with `orthographic=1`: position and target in m. */
function camera(given: URLSearchParams): CameraPlace | null {
  const text = given.get("camera");
  if (text === null) return null;
  const numbers = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) {
    throw new Error(`camera=${text}: expected six finite numbers, position and target in m.`);
  }
  const [a, b, c, d, e, f] = numbers;
  return { position: [a, b, c], target: [d, e, f], orthographic: flag(given, "orthographic", false) };
}
