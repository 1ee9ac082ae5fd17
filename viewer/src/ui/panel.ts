/** The panel at the side: coloring, what is shown, camera, plots. */

import type { Series } from "../payload";
import type { Preset } from "../stage/cameras";
import { QUANTITIES } from "../quantities";
import { el } from "./dom";

export interface Switch {
  key: string;
  label: string;
  on: boolean;
}

export interface PanelActions {
  color(key: string): void;
  toggle(name: string, on: boolean): void;
  camera(preset: Preset): void;
  orthographic(on: boolean): void;
  follow(on: boolean): void;
  plot(series: Series): void;
}

const PRESETS: [Preset, string][] = [["home", "Home"], ["front", "Front"], ["side", "Side"], ["top", "Top"]];

export class Panel {
  readonly element = el("aside", { class: "panel", "aria-label": "Settings" });
  private readonly colors = el("select", { class: "whole", "aria-label": "Color rods by" });
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly plots = el("select", { class: "whole", "aria-label": "Add a plot" });
  private readonly orthographic: HTMLButtonElement;
  private readonly follow: HTMLButtonElement;
  private readonly coloring: HTMLElement;
  private series: Series[] = [];

  constructor(switches: Record<string, Switch>, private readonly actions: PanelActions) {
    this.colors.append(el("option", { value: "" }, "Own color"));
    for (const [key, { name, unit }] of Object.entries(QUANTITIES)) {
      this.colors.append(el("option", { value: key }, `${name} (${unit})`));
    }
    this.colors.addEventListener("change", () => {
      actions.color(this.colors.value);
      this.colors.blur();
    });
    this.plots.addEventListener("change", () => {
      const chosen = this.series[Number(this.plots.value)];
      if (chosen) actions.plot(chosen);
      this.plots.value = "";
      this.plots.blur();
    });
    const presets = PRESETS.map(([preset, label], i) =>
      el("button", { type: "button", title: `${label} (${i + 1})`, onclick: () => actions.camera(preset) }, label),
    );
    this.orthographic = this.pressable("Orthographic", "O", (on) => actions.orthographic(on));
    this.follow = this.pressable("Follow", "F", (on) => actions.follow(on));
    this.coloring = this.section("Color rods by", this.colors);
    this.element.append(
      this.coloring,
      this.section("Show", ...Object.entries(switches).map(([name, it]) => this.check(name, it))),
      this.section("Camera", el("div", { class: "row even" }, ...presets), el("div", { class: "row even" }, this.orthographic, this.follow)),
      this.section("Plots", this.plots),
    );
  }

  /** A section with a heading. */
  section(heading: string, ...content: Node[]): HTMLElement {
    return el("section", {}, el("h2", {}, heading), ...content);
  }

  /** Takes the legends below the choice of colors. */
  hold(legends: HTMLElement): void {
    this.coloring.append(legends);
  }

  /** Puts a section before all others. */
  lead(section: HTMLElement): void {
    this.element.prepend(section);
  }

  private check(name: string, { key, label, on }: Switch): HTMLElement {
    const box = el("input", { type: "checkbox" });
    box.checked = on;
    box.addEventListener("change", () => {
      this.actions.toggle(name, box.checked);
      box.blur();
    });
    this.boxes.set(name, box);
    return el("label", { class: "check" }, box, label, el("kbd", {}, key));
  }

  private pressable(label: string, key: string, press: (on: boolean) => void): HTMLButtonElement {
    const button = el("button", { type: "button", title: `${label} (${key})`, "aria-pressed": "false" }, label);
    button.addEventListener("click", () => press(button.getAttribute("aria-pressed") !== "true"));
    return button;
  }

  setColor(key: string): void {
    this.colors.value = key;
  }

  setSwitch(name: string, on: boolean): void {
    const box = this.boxes.get(name);
    if (box) box.checked = on;
  }

  setOrthographic(on: boolean): void {
    this.orthographic.setAttribute("aria-pressed", String(on));
  }

  setFollow(on: boolean): void {
    this.follow.setAttribute("aria-pressed", String(on));
  }

  /** Lists what can be plotted, in groups: the words before a colon. */
  setSeries(series: Series[]): void {
    this.series = series;
    this.plots.replaceChildren(el("option", { value: "" }, series.length ? "Add a plot…" : "Nothing was measured"));
    const groups = new Map<string, HTMLElement>();
    series.forEach(({ name, unit }, i) => {
      const colon = name.indexOf(": ");
      const option = el("option", { value: i }, (colon > 0 ? name.slice(colon + 2) : name) + (unit ? ` (${unit})` : ""));
      const group = colon > 0 ? name.slice(0, colon) : "Run";
      if (!groups.has(group)) groups.set(group, el("optgroup", { label: group }));
      groups.get(group)?.append(option);
    });
    this.plots.append(...groups.values());
  }
}
