/** The keyboard; `help.ts` lists it. */

import type { App } from "../app";
import type { Preset } from "../stage/cameras";

const SWITCHES: Record<string, string> = { k: "contacts", a: "forces", p: "patches", w: "stripe", s: "shadows", g: "ground" };
const PRESETS: Record<string, Preset> = { 1: "home", 2: "front", 3: "side", 4: "top" };

/** Carries out a key; says whether it is one of ours. */
function press(app: App, key: string, shift: boolean): boolean {
  const { playback } = app;
  if (key in SWITCHES) app.toggleSwitch(SWITCHES[key]);
  else if (key in PRESETS) app.setCamera(PRESETS[key]);
  else if (key === " ") (app.runOrPause ?? (() => playback.toggle()))();
  else if (key === "arrowleft") playback.step(shift ? -10 : -1);
  else if (key === "arrowright") playback.step(shift ? 10 : 1);
  else if (key === "home") playback.step(-Infinity);
  else if (key === "end") playback.step(Infinity);
  else if (key === "+" || key === "=") playback.faster(1);
  else if (key === "-") playback.faster(-1);
  else if (key === "l") {
    playback.loop = !playback.loop;
    app.timeline.update();
  } else if (key === "c") app.nextColor();
  else if (key === "o") app.setOrthographic(!app.stage.cameras.place.orthographic);
  else if (key === "f") app.toggleFollow();
  else if (key === "x") void app.screenshot();
  else if (key === "t") app.toggleTheme();
  else if (key === "b") app.togglePanel();
  else if (key === "h" || key === "?") app.help.showModal();
  else if (key === "escape") app.select(null);
  else return false;
  return true;
}

export function bindKeys(app: App): void {
  window.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type !== "range" && event.target.type !== "checkbox";
    const choosing = event.target instanceof HTMLSelectElement;
    if (event.ctrlKey || event.metaKey || event.altKey || typing || choosing || app.help.open) return;
    if (press(app, event.key.toLowerCase(), event.shiftKey)) event.preventDefault();
  });
}
