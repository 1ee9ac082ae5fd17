/** The bar below: play, steps, scrub, speed. */

import { SPEEDS, type Playback } from "../playback";
import type { EventInfo } from "../scene";
import { el, icon, iconButton } from "./dom";

/** Most marks of events on the rail. */
const MOST_MARKS = 200;

export class Timeline {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly now = el("strong");
  private readonly total = el("span");
  private readonly rail: HTMLElement;
  private readonly done = el("div", { class: "done" });
  private readonly knob = el("div", { class: "knob" });
  private readonly speed: HTMLSelectElement;
  private readonly loop: HTMLButtonElement;

  constructor(private readonly playback: Playback, events: EventInfo[]) {
    this.play = iconButton("play", "Play or pause (space)", () => playback.toggle());
    this.play.classList.add("play");
    this.rail = el(
      "div",
      { class: "scrub", role: "slider", tabindex: 0, "aria-label": "Time", "aria-valuemin": 0 },
      el("div", { class: "rail" }),
      this.done,
      ...this.marks(events),
      this.knob,
    );
    this.rail.addEventListener("pointerdown", (event) => this.scrub(event));
    this.speed = el("select", { title: "Speed (− and +)", "aria-label": "Speed" });
    for (const speed of SPEEDS) this.speed.append(el("option", { value: speed }, `${speed} ×`));
    this.speed.addEventListener("change", () => {
      playback.speed = Number(this.speed.value);
      this.speed.blur();
    });
    this.loop = iconButton("loop", "Start again at the end (L)", () => {
      playback.loop = !playback.loop;
      this.update();
    });
    this.element = el(
      "div",
      { class: "bar" },
      iconButton("first", "To the start (Home)", () => playback.jump(0)),
      iconButton("back", "One frame back (←)", () => playback.step(-1)),
      this.play,
      iconButton("forward", "One frame on (→)", () => playback.step(1)),
      el("div", { class: "time" }, this.now, this.total),
      this.rail,
      this.speed,
      this.loop,
    );
    this.update();
  }

  private share(time: number): number {
    const { times, last } = this.playback;
    const length = times[last] - times[0];
    return length > 0 ? (time - times[0]) / length : 0;
  }

  private marks(events: EventInfo[]): HTMLElement[] {
    const shown = events.filter((event) => event.kind !== "start" && event.kind !== "end").slice(0, MOST_MARKS);
    return shown.map((event) => {
      const words = [event.kind, event.name, event.detail].filter(Boolean).join(" · ");
      const mark = el("div", { class: `mark ${event.kind === "failure" ? "failure" : ""}`, title: `${event.time.toFixed(3)} s: ${words}` });
      mark.style.left = `${100 * this.share(event.time)}%`;
      return mark;
    });
  }

  private scrub(event: PointerEvent): void {
    this.rail.setPointerCapture(event.pointerId);
    const wasPlaying = this.playback.playing;
    this.playback.playing = false;
    const move = (at: PointerEvent) => {
      const box = this.rail.getBoundingClientRect();
      const share = Math.min(Math.max((at.clientX - box.left) / Math.max(box.width, 1), 0), 1);
      const { times, last } = this.playback;
      this.playback.seek(times[0] + share * (times[last] - times[0]));
    };
    const end = () => {
      this.rail.removeEventListener("pointermove", move);
      this.playback.playing = wasPlaying;
      this.update();
    };
    move(event);
    this.rail.addEventListener("pointermove", move);
    this.rail.addEventListener("pointerup", end, { once: true });
    this.rail.addEventListener("pointercancel", end, { once: true });
  }

  /** Shows where the playback is. */
  update(): void {
    const { playback } = this;
    const { times, last } = playback;
    this.play.replaceChildren(icon(playback.playing ? "pause" : "play"));
    this.now.textContent = playback.time.toFixed(3);
    this.total.textContent = ` / ${(times[last] ?? 0).toFixed(2)} s`;
    const share = `${100 * this.share(playback.time)}%`;
    this.done.style.width = share;
    this.knob.style.left = share;
    this.rail.setAttribute("aria-valuenow", playback.time.toFixed(3));
    this.rail.setAttribute("aria-valuemax", (times[last] ?? 0).toFixed(3));
    this.speed.value = String(playback.speed);
    this.loop.setAttribute("aria-pressed", String(playback.loop));
  }
}
