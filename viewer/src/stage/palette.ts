/** Colors: of things that have none of their own, of the two themes, and of values. */

import { Color, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace, UnsignedByteType } from "three";
import type { RodInfo, TreeInfo } from "../scene";

/** Rods stand out: saturated, apart from one another for most eyes. */
const RODS = ["#e07a2c", "#2f7fd0", "#2fa084", "#c2477f", "#8a63c9", "#c9a227", "#4aa3b8", "#b5533c"];
/** Bodies stay behind. */
const BODIES = ["#93a1b1", "#a8a093", "#8fa596", "#a497ab"];
/** Robots: shell and joints in turns. */
const ROBOTS = [
  ["#f3f4f6", "#465363"],
  ["#f3f4f6", "#2b6c8c"],
  ["#f3f4f6", "#7b5a86"],
];

const own = (color: number[]) => new Color().setRGB(color[0], color[1], color[2], SRGBColorSpace);

export function rodColor(rod: RodInfo, index: number): Color {
  return rod.color ? own(rod.color) : new Color(RODS[index % RODS.length]);
}

/** Color of the link `link`; `index` counts robots, or bodies. */
export function linkColor(tree: TreeInfo, index: number, link: number): Color {
  const given = tree.links[link].color;
  if (given) return own(given);
  if (!tree.robot) return new Color(BODIES[index % BODIES.length]);
  return new Color(ROBOTS[index % ROBOTS.length][link % 2]);
}

export interface Theme {
  background: number;
  ground: number;
  line: number;
  /** Opacity of a shadow on the ground. */
  shadow: number;
  /** Light from above, from below, of the sun, and from its other side. */
  light: [sky: number, earth: number, hemisphere: number, sun: number, fill: number];
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: { background: 0xeef1f4, ground: 0xe4e8ec, line: 0x9aa7b5, shadow: 0.22, light: [0xffffff, 0xc4beb5, 1.45, 2.5, 0.5] },
  dark: { background: 0x191e25, ground: 0x232a33, line: 0x5a6878, shadow: 0.45, light: [0xdfe8f5, 0x4a515c, 1.2, 2.3, 0.9] },
};

const STOPS = {
  /** From nothing to much. */
  sequential: ["#4d63d6", "#2f86cf", "#2ba5a9", "#7cc46a", "#e6cf3c", "#f08a2c", "#d0342c"],
  /** About zero. */
  diverging: ["#2457b3", "#6f9fd8", "#c9d6e2", "#e9e6e1", "#ecc8b0", "#dd7f55", "#ad2a2a"],
};

export type ColorMap = keyof typeof STOPS;

/** The color map as a gradient for a style sheet. */
export function cssGradient(map: ColorMap): string {
  return `linear-gradient(to right, ${STOPS[map].join(", ")})`;
}

/** Color of a share 0…1. */
export function mapColor(map: ColorMap, share: number): Color {
  const stops = STOPS[map];
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [new Color(stops[k]), new Color(stops[k + 1])];
  // As a style sheet's gradient: between the stops in sRGB.
  const [x, y] = [a.getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace), b.getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace)];
  const mix = (p: number, q: number) => p + (q - p) * (at - k);
  return new Color().setRGB(mix(x.r, y.r), mix(x.g, y.g), mix(x.b, y.b), SRGBColorSpace);
}

/** The color map as a texture of 256 × 1. */
export function mapTexture(map: ColorMap): DataTexture {
  const data = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) {
    const { r, g, b } = mapColor(map, i / 255).getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace);
    data.set([Math.round(255 * r), Math.round(255 * g), Math.round(255 * b), 255], 4 * i);
  }
  const texture = new DataTexture(data, 256, 1, RGBAFormat, UnsignedByteType);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
