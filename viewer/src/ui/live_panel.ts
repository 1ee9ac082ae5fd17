/** The part of the panel that commands a simulation that runs. */

import type { Hello, Status } from "../link";
import { el, format, icon, iconButton } from "./dom";

type Send = (command: { command: string } & Record<string, unknown>) => void;

const SPEEDS: [number, string][] = [[0.05, "0.05 ×"], [0.1, "0.1 ×"], [0.25, "0.25 ×"], [0.5, "0.5 ×"], [1, "1 ×"], [2, "2 ×"], [5, "5 ×"], [0, "as fast as can be"]];
/** Most sliders of actuators. */
const MOST_SLIDERS = 48;

export class LivePanel {
  readonly element = el("section", { "aria-label": "Simulation" });
  private readonly run: HTMLButtonElement;
  private readonly words = el("p", { class: "status" });
  private readonly speed = el("select", { class: "whole", "aria-label": "Speed of the simulation" });
  private readonly controls: HTMLFieldSetElement;
  /** Put the sliders where the scene has them. */
  private readonly restore: (() => void)[] = [];
  private paused = true;

  constructor(hello: Hello, private readonly send: Send) {
    this.run = el("button", { type: "button", class: "run", onclick: () => this.toggle() });
    for (const [value, label] of SPEEDS) this.speed.append(el("option", { value }, label));
    this.speed.addEventListener("change", () => {
      send({ command: "speed", value: Number(this.speed.value) });
      this.speed.blur();
    });
    const step = iconButton("forward", "One step", () => send({ command: "step", count: 1 }));
    const reset = iconButton("reset", "Back to the start", () => send({ command: "reset" }));
    const gravity = [...hello.scene.gravity];
    const sliders = [
      ...(hello.contact ? [this.slider("Friction, times the scene's", "", 0, 3, 1, (scale) => send({ command: "friction", scale }))] : []),
      this.slider("Gravity along z", "m/s²", -20, 20, gravity[2], (z) => send({ command: "gravity", gravity: [gravity[0], gravity[1], z] })),
      ...hello.actuators
        .slice(0, MOST_SLIDERS)
        .map(({ index, name, unit, low, high, value }) => this.slider(name, unit, low, high, value, (to) => send({ command: "target", actuator: index, value: to }))),
    ];
    this.controls = el("fieldset", {}, el("div", { class: "row" }, this.run, step, reset), this.speed, ...sliders);
    this.element.append(el("h2", {}, "Simulation"), this.controls, this.words);
    this.status({ paused: true, failed: false, speed: 1, ratio: 0, time: 0 });
  }

  private slider(name: string, unit: string, low: number, high: number, value: number, move: (value: number) => void): HTMLElement {
    const input = el("input", { type: "range", min: low, max: high, step: (high - low) / 400, value });
    const output = el("output");
    const show = () => (output.textContent = `${format(Number(input.value))} ${unit}`);
    input.addEventListener("input", () => {
      show();
      move(Number(input.value));
    });
    this.restore.push(() => {
      input.value = String(value);
      output.textContent = `${format(value)} ${unit}`;
    });
    this.restore.at(-1)?.();
    // A label is that of the first of its children that can have one.
    return el("label", { class: "slider" }, el("span", {}, name), input, output);
  }

  /** Lets the simulation run, or rest. */
  toggle(): void {
    this.send({ command: this.paused ? "resume" : "pause" });
  }

  /** The run has started again, as the scene has it. */
  reset(): void {
    for (const put of this.restore) put();
  }

  status(status: Status): void {
    this.paused = status.paused;
    this.run.replaceChildren(icon(status.paused ? "play" : "pause"), status.paused ? "Run" : "Pause");
    if (document.activeElement !== this.speed) this.speed.value = String(status.speed);
    const rate = `${status.ratio.toFixed(2)} × real time`;
    this.words.textContent = status.failed ? "A step failed: reset to go on" : status.paused ? "at rest" : rate;
  }

  /** Whether this page may command. */
  role(commands: boolean): void {
    this.controls.disabled = !commands;
    if (!commands) this.words.textContent = "Another page commands this simulation.";
  }
}
