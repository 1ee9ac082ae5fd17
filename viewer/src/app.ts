/** The page of a run: ties playback, picture and panels together. */

import { Vector2, Vector3 } from "three";
import { boundsOf } from "./bounds";
import { factsOf, type Fact, type Facts } from "./facts";
import { CONTACT, LINK, NODE, type Frame } from "./frame";
import type { Run, Series } from "./payload";
import { placesOf } from "./places";
import { Playback } from "./playback";
import { QUANTITIES, rangeOf, type Moment } from "./quantities";
import { layoutOf, type Layout } from "./scene";
import type { Preset } from "./stage/cameras";
import type { ColorMap } from "./stage/palette";
import { pick, type Picked } from "./stage/pick";
import { Stage } from "./stage/stage";
import { el, iconButton, lengthWords, roundUp } from "./ui/dom";
import { helpDialog } from "./ui/help";
import { Inspector } from "./ui/inspector";
import { bindKeys } from "./ui/keys";
import { Legends, type LegendEntry } from "./ui/legend";
import { Panel, type Switch } from "./ui/panel";
import { Plots } from "./ui/plots";
import { Timeline } from "./ui/timeline";
import type { Options } from "./options";

/** Most frames of a run that goes on. */
const MOST_FRAMES = 4096;
/** New frames after which the range of colors is taken again, and plots are drawn again. */
const RANGE_EVERY = 40;
const PLOT_EVERY = 6;
/** Frames of which ranges and bounds are taken. */
const SAMPLES = 48;

export class App {
  readonly element = el("main", { id: "app" });
  readonly layout: Layout;
  readonly stage: Stage;
  readonly playback: Playback;
  readonly plots: Plots;
  readonly timeline: Timeline;
  readonly panel: Panel;
  readonly help = helpDialog();
  picked: Picked | null = null;
  color = "";
  private readonly legends = new Legends();
  private readonly inspector: Inspector;
  private readonly title: HTMLElement;
  private readonly grid: HTMLElement;
  private readonly switches: Record<string, Switch> = {
    contacts: { key: "K", label: "Contact points", on: false },
    forces: { key: "A", label: "Contact forces", on: false },
    patches: { key: "P", label: "Pressure of patches", on: true },
    stripe: { key: "W", label: "Stripe along the rod", on: true },
    shadows: { key: "S", label: "Shadows", on: true },
    ground: { key: "G", label: "Ground", on: true },
  };
  private readonly ranges = new Map<string, { range: [number, number]; map: ColorMap }>();
  private readonly times: number[];
  private appended = 0;
  private peakForce = 0;
  private peakPressure = 0;
  private following = false;
  private theme: "light" | "dark";

  /** Lets a simulation run, or rest; what the space bar does if there is one. */
  runOrPause: (() => void) | null = null;

  /** `grows` if frames are still to come. */
  constructor(readonly run: Run, options: Options, private readonly grows = false) {
    this.layout = layoutOf(run.scene);
    this.times = run.frames.map((frame) => frame.time);
    this.theme = options.theme;
    const stageBox = el("div", { class: "stage" });
    document.body.append(this.element);
    this.element.append(stageBox);
    const bounds = boundsOf(run.scene, this.layout, this.sampled());
    this.stage = new Stage(stageBox, run.scene, this.layout, bounds, options.stage(this.layout.nodeCount));
    this.switches.shadows.on = options.shadows;
    this.playback = new Playback(this.times, () => this.changed(), grows);
    this.timeline = new Timeline(this.playback, run.events);
    this.plots = new Plots(() => this.times, (time) => this.playback.seek(time), () => undefined);
    this.inspector = new Inspector((facts, fact) => this.plotFact(facts, fact), () => this.select(null));
    this.panel = new Panel(this.switches, {
      color: (key) => this.setColor(key),
      toggle: (name, on) => this.setSwitch(name, on),
      camera: (preset) => this.setCamera(preset),
      orthographic: (on) => this.setOrthographic(on),
      follow: (on) => this.setFollow(on),
      plot: (series) => this.plots.toggle(series),
    });
    this.grid = el("span", {}, ` · grid ${lengthWords(this.stage.gridStep)}`);
    this.title = el("header", { class: "title" }, el("h1", {}, run.scene.title || run.scene.name), el("p", {}, subtitle(run, grows), this.grid));
    stageBox.append(this.title, this.tools(), this.inspector.element);
    this.panel.hold(this.legends.element);
    this.element.append(this.panel.element, this.plots.element, this.timeline.element, this.help);
    this.stage.fit([0.2, 0.5, 0.9].map((share) => run.frames[Math.floor(share * run.frames.length)]));
    this.measurePeaks(run.frames);
    this.panel.setSeries([...run.series, ...this.derivedSeries()]);
    for (const [name, { on }] of Object.entries(this.switches)) this.setSwitch(name, on);
    this.setTheme(this.theme);
    this.setColor("");
    this.listen();
    bindKeys(this);
    this.changed();
  }

  private tools(): HTMLElement {
    return el(
      "div",
      { class: "tools" },
      iconButton("camera", "Save a picture (X)", () => void this.screenshot()),
      iconButton("theme", "Light or dark (T)", () => this.toggleTheme()),
      iconButton("help", "Keys (H)", () => this.help.showModal()),
      iconButton("panel", "Panel (B)", () => this.togglePanel()),
    );
  }

  /** Frames spread over the run. */
  private sampled() {
    const { frames } = this.run;
    const count = Math.min(frames.length, SAMPLES);
    return Array.from({ length: count }, (_, k) => frames[Math.round((k * (frames.length - 1)) / Math.max(1, count - 1))]);
  }

  momentAt(index: number): Moment {
    const { frames, scene } = this.run;
    const at = (i: number) => frames[Math.min(Math.max(i, 0), frames.length - 1)];
    return { scene, layout: this.layout, frame: at(index), before: at(index - 1), after: at(index + 1) };
  }

  get currentFrame(): Frame {
    return this.run.frames[this.playback.index];
  }

  /** Takes a new frame of a run that goes on, with the values of its series. The oldest go if there are too many. */
  append(frame: Frame, values: Float32Array): void {
    const { frames, series } = this.run;
    const lists = series.map((one) => one.values as number[]);
    if (frames.length >= MOST_FRAMES) {
      for (const list of [frames, this.times, ...lists] as unknown[][]) list.splice(0, MOST_FRAMES / 8);
      this.playback.index = Math.max(0, this.playback.index - MOST_FRAMES / 8);
    }
    frames.push(frame);
    this.times.push(frame.time);
    lists.forEach((list, k) => list.push(values[k]));
    this.measurePeaks([frame]);
    this.appended++;
    if (this.color && this.appended % RANGE_EVERY === 0) {
      this.ranges.delete(this.color);
      this.setColor(this.color);
    }
    if (this.appended % PLOT_EVERY === 0) this.plots.refresh();
    this.playback.grown();
  }

  /** The run starts again. */
  clear(): void {
    for (const list of [this.run.frames, this.times, ...this.run.series.map((one) => one.values)] as unknown[][]) list.length = 0;
    this.playback.index = 0;
    this.ranges.clear();
  }

  /** The greatest force and pressure of the run: scales of arrows and patches. */
  private measurePeaks(frames: Frame[]): void {
    for (const { contacts, polygons } of frames) {
      for (let at = 0; at < contacts.length; at += CONTACT) {
        this.peakForce = Math.max(this.peakForce, Math.hypot(contacts[at + 3], contacts[at + 4], contacts[at + 5]));
      }
      for (const pressure of polygons.pressure) this.peakPressure = Math.max(this.peakPressure, pressure);
    }
    this.peakPressure = roundUp(this.peakPressure);
    if (this.peakForce > 0) this.stage.contacts.setForceScale((0.16 * this.stage.extent) / this.peakForce);
  }

  /** Series that follow from frames; not of a run that goes on. */
  private derivedSeries(): Series[] {
    if (this.grows) return [];
    return this.run.scene.rods.slice(0, 64).map((rod, r) => {
      const [first, end] = [this.layout.rodStart[r], this.layout.rodStart[r] + rod.edge_count];
      const values = this.run.frames.map(({ nodes }) => {
        let most = -Infinity;
        for (let i = first; i < end; i++) most = Math.max(most, nodes[NODE * i + 4]);
        return most;
      });
      return { name: `rod ${rod.name}: greatest tension`, unit: "N", values: Float32Array.from(values) };
    });
  }

  private listen(): void {
    const { canvas } = this.stage;
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    canvas.addEventListener("pointerup", (event) => {
      // A press that moved has turned the camera.
      const still = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4;
      if (still && event.button === 0) this.select(this.pickAt(event.clientX, event.clientY));
      down = null;
    });
  }

  /** What is at a place of the window, in pixels. */
  pickAt(x: number, y: number): Picked | null {
    const { canvas, cameras, bodies } = this.stage;
    const box = canvas.getBoundingClientRect();
    const pointer = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    // A run that starts again has no frame for a moment.
    if (!this.currentFrame) return null;
    return pick(pointer, box.height, cameras.current, bodies.group, this.run.scene, this.layout, this.currentFrame);
  }

  /** Where in the window things can be picked: at most one place for each rod and each link, in pixels. */
  places(): { x: number; y: number; name: string }[] {
    return placesOf(this);
  }

  select(picked: Picked | null): void {
    this.picked = picked;
    this.stage.rods.uniforms.selectedRod.value = picked?.kind === "rod" ? picked.rod : -1;
    this.stage.bodies.select(picked?.kind === "link" ? picked.link : null);
    const facts = picked && factsOf(picked, this.run.scene, this.layout);
    this.inspector.show(facts, this.momentAt(this.playback.index));
    this.stage.invalidate();
  }

  private plotFact(facts: Facts, fact: Fact): void {
    const values = Float32Array.from(this.run.frames, (_, k) => fact.read(this.momentAt(k))[0]);
    this.plots.toggle({ name: `${facts.name}: ${fact.name}`, unit: fact.unit, values });
  }

  setColor(key: string): void {
    this.color = key in QUANTITIES ? key : "";
    this.panel.setColor(this.color);
    if (this.color && !this.ranges.has(this.color)) {
      const { frames } = this.run;
      const moments = this.sampled().map((frame) => this.momentAt(frames.indexOf(frame)));
      this.ranges.set(this.color, rangeOf(QUANTITIES[this.color], moments, this.layout.nodeCount));
    }
    this.stage.setColoring(this.ranges.get(this.color) ?? null);
    this.updateLegends();
    this.updateValues();
  }

  nextColor(): void {
    const keys = ["", ...Object.keys(QUANTITIES)];
    this.setColor(keys[(keys.indexOf(this.color) + 1) % keys.length]);
  }

  private updateValues(): void {
    if (!this.color) return;
    QUANTITIES[this.color].compute(this.momentAt(this.playback.index), this.stage.rods.values);
    this.stage.rods.valuesChanged();
    this.stage.invalidate();
  }

  private updateLegends(): void {
    const entries: LegendEntry[] = [];
    const range = this.ranges.get(this.color);
    if (range) entries.push({ ...QUANTITIES[this.color], ...range });
    if (this.switches.patches.on && this.peakPressure > 0) {
      entries.push({ name: "Pressure", unit: "Pa", map: "sequential", range: [0, this.peakPressure] });
    }
    if (this.switches.forces.on && this.peakForce > 0) {
      entries.push({ name: "Contact force", unit: "N", range: [0, this.peakForce] });
    }
    this.legends.show(entries);
  }

  setSwitch(name: string, on: boolean): void {
    this.switches[name].on = on;
    this.panel.setSwitch(name, on);
    const { stage } = this;
    if (name === "contacts") stage.contacts.points.visible = on;
    if (name === "forces") stage.contacts.forces.visible = on;
    if (name === "patches") stage.contacts.patches.visible = on;
    if (name === "stripe") stage.rods.uniforms.stripe.value = on ? 1 : 0;
    if (name === "shadows") stage.setShadows(on);
    if (name === "ground") {
      stage.setGround(on);
      this.grid.hidden = !on;
    }
    this.updateLegends();
    stage.invalidate();
  }

  toggleSwitch(name: string): void {
    this.setSwitch(name, !this.switches[name].on);
  }

  setCamera(preset: Preset): void {
    this.stage.cameras.preset(preset);
    this.stage.invalidate();
  }

  setOrthographic(on: boolean): void {
    this.stage.cameras.setOrthographic(on);
    this.panel.setOrthographic(on);
    this.stage.invalidate();
  }

  setFollow(on: boolean): void {
    this.following = on;
    this.panel.setFollow(on);
    this.follow();
  }

  toggleFollow(): void {
    this.setFollow(!this.following);
  }

  private follow(): void {
    if (!this.following) return this.stage.cameras.follow(null);
    const { nodes, links } = this.run.frames[this.playback.index];
    const { picked, layout } = this;
    if (picked?.kind === "link") return this.stage.cameras.follow(new Vector3().fromArray(links, LINK * picked.link));
    const [from, to] = picked ? [layout.rodStart[picked.rod], layout.rodStart[picked.rod + 1]] : [0, layout.nodeCount];
    const mean = new Vector3();
    for (let i = from; i < to; i++) mean.add(new Vector3().fromArray(nodes, NODE * i));
    this.stage.cameras.follow(to > from ? mean.divideScalar(to - from) : null);
  }

  setTheme(theme: "light" | "dark"): void {
    this.theme = theme;
    document.documentElement.classList.toggle("dark", theme === "dark");
    this.stage.setTheme(theme);
    this.plots.refresh(true);
  }

  toggleTheme(): void {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
  }

  togglePanel(): void {
    const wide = this.element.classList.toggle("wide");
    if (wide) this.stage.canvas.parentElement?.append(this.legends.element);
    else this.panel.hold(this.legends.element);
  }

  async screenshot(): Promise<void> {
    const blob = await this.stage.screenshot();
    const safe = this.run.scene.name.replace(/[^\p{L}\p{N}_-]+/gu, "_") || "scene";
    const link = el("a", { href: URL.createObjectURL(blob), download: `${safe}_${this.playback.time.toFixed(3)}s.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  /** The frame shown, or the playback, has changed. */
  private changed(): void {
    const { index } = this.playback;
    const frame = this.run.frames[index];
    if (!frame) return;
    this.stage.show(frame, this.peakPressure);
    this.updateValues();
    this.follow();
    this.timeline.update();
    this.plots.setIndex(index);
    this.inspector.update(this.momentAt(index));
  }
}

function subtitle({ scene, frames }: Run, grows: boolean): string {
  const count = (n: number, one: string) => (n === 0 ? [] : [`${n} ${one}${n === 1 ? "" : "s"}`]);
  // What has no shape is not seen, such as the pointer of a run that goes on.
  const trees = scene.trees.filter((tree) => tree.links.some((link) => link.shapes.length > 0));
  const robots = trees.filter((tree) => tree.robot).length;
  const parts = [
    ...count(scene.rods.length, "rod"),
    ...count(robots, "robot"),
    ...count(trees.length - robots, "bod").map((text) => text.replace(/bod$/, "body").replace(/bods$/, "bodies")),
    ...(grows ? ["live"] : count(frames.length, "frame")),
  ];
  return [scene.name, ...parts].join(" · ");
}
