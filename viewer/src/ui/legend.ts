/** What the colors and arrows mean. */

import { cssGradient, type ColorMap } from "../stage/palette";
import { el, tick } from "./dom";

export interface LegendEntry {
  name: string;
  unit: string;
  map?: ColorMap;
  range: [number, number];
}

export class Legends {
  readonly element = el("div", { class: "legends" });

  show(entries: LegendEntry[]): void {
    this.element.replaceChildren(...entries.map((entry) => this.card(entry)));
  }

  private card({ name, unit, map, range }: LegendEntry): HTMLElement {
    const card = el("div", { class: "card legend" });
    const [scale, prefix] = prefixOf(range[1], unit);
    card.append(el("div", { class: "name" }, el("span", {}, name), el("span", {}, prefix + unit)));
    if (!map) {
      card.append(el("div", { class: "ticks" }, `longest arrow: ${tick(range[1])} ${unit}`));
      return card;
    }
    const ramp = el("div", { class: "ramp" });
    ramp.style.background = cssGradient(map);
    const middle = 0.5 * (range[0] + range[1]);
    const ticks = [range[0], middle, range[1]].map((x) => el("span", {}, tick(x / scale)));
    card.append(ramp, el("div", { class: "ticks" }, ...ticks));
    return card;
  }
}

/** A scale and its prefix for pressures, whose numbers are long in Pa. */
function prefixOf(most: number, unit: string): [number, string] {
  if (unit !== "Pa" || most < 1e3) return [1, ""];
  return most < 1e6 ? [1e3, "k"] : [1e6, "M"];
}
