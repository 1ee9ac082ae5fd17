/** Start of the page: finds the run, shows it, or says why it cannot. */

import { App } from "./app";
import { startLive } from "./live";
import { Options } from "./options";
import { decodeRun, unpack } from "./payload";
import { el } from "./ui/dom";
import style from "./ui/style.css";
import plotStyle from "uplot/dist/uPlot.min.css";

declare global {
  interface Window {
    /** The page, for scripts that try it. */
    ropewalk?: App;
  }
}

async function start(): Promise<void> {
  const data = document.getElementById("run")?.textContent;
  const waiting = el("div", { class: "waiting" }, "Unpacking the run…");
  document.body.append(waiting);
  const options = optionsOrDefaults();
  if (document.getElementById("live")) {
    waiting.textContent = "Waiting for the simulation…";
    startLive(options.taken, (app) => {
      waiting.remove();
      show(app, options);
    }, toast);
    return;
  }
  if (!data) throw new Error("There is no run in this page. Make one with `ropewalk run SCENE --html FILE`.");
  const run = decodeRun(await unpack(data));
  if (run.frames.length === 0) throw new Error("There is no frame in this run.");
  waiting.remove();
  show(new App(run, options.taken), options);
}

/** Sets the page up and keeps it going. */
function show(app: App, options: { taken: Options; error: string | null }): void {
  const { scene } = app.run;
  document.title = `${scene.title || scene.name} · Ropewalk`;
  window.ropewalk = app;
  if (options.error) toast(options.error);
  arrange(app, options.taken);
  let last = performance.now();
  const loop = (now: number) => {
    app.playback.tick((now - last) / 1000);
    last = now;
    app.stage.draw();
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

/** The options of the address; those of a bad address are left alone, and the reason shown. */
function optionsOrDefaults(): { taken: Options; error: string | null } {
  try {
    return { taken: new Options(location.hash), error: null };
  } catch (error) {
    return { taken: new Options(""), error: error instanceof Error ? error.message : String(error) };
  }
}

/** Sets the page as its address asks. */
function arrange(app: App, options: Options): void {
  try {
    if (options.color) app.setColor(options.color);
    if (options.camera) app.stage.cameras.place = options.camera;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error));
  }
  if (!options.panel) app.togglePanel();
  if (options.time !== null) app.playback.seek(options.time);
  else if (options.play && app.run.frames.length > 1) app.playback.toggle();
}

function toast(text: string): void {
  const card = el("div", { class: "card toast", role: "status" }, text);
  document.body.append(card);
  setTimeout(() => card.remove(), 8000);
}

document.head.append(el("style", {}, plotStyle + style));
start().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  const card = el("div", { class: "card error", role: "alert" }, el("h1", {}, "This run cannot be shown"), el("p", {}, text));
  document.body.replaceChildren(card);
});
