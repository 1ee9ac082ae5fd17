/** The page of a simulation that runs. */

import { App } from "./app";
import { Link, type Hello } from "./link";
import type { Options } from "./options";
import { Grab } from "./stage/grab";
import { el } from "./ui/dom";
import { LivePanel } from "./ui/live_panel";

/** Connects with the server that the page comes from; `ready` is called once there is something to show. */
export function startLive(options: Options, ready: (app: App) => void, say: (text: string) => void): void {
  let hello: Hello | null = null;
  let page: { app: App; panel: LivePanel; grab: Grab } | null = null;
  let commands = false;
  const open = (first: Parameters<App["append"]>[0], values: Float32Array) => {
    if (!hello) return;
    const series = hello.series.map(({ name, unit }) => ({ name, unit, values: [] as number[] }));
    const app = new App({ scene: hello.scene, frames: [first], events: [], series }, options, true);
    series.forEach((one, k) => one.values.push(values[k]));
    const panel = new LivePanel(hello, (command) => link.send(command));
    app.panel.lead(panel.element);
    app.runOrPause = () => panel.toggle();
    const grab = new Grab(app, (command) => link.send(command));
    page = { app, panel, grab };
    setRole(commands);
    ready(app);
  };
  const setRole = (may: boolean) => {
    commands = may;
    page?.panel.role(may);
    if (page) page.grab.enabled = may;
  };
  const address = new URL("live", location.href);
  address.protocol = "ws:";
  address.hash = "";
  const link: Link = new Link(address.href, {
    hello: (got) => (hello = got),
    frame: (frame, values) => {
      if (!page) return open(frame, values);
      page.app.append(frame, values);
      page.grab.update();
    },
    status: (status) => page?.panel.status(status),
    role: setRole,
    reset: () => {
      page?.app.clear();
      page?.panel.reset();
    },
    error: say,
    closed: () => {
      const words = "The simulation has ended. What it showed can still be looked at.";
      if (page) page.app.panel.lead(el("section", { role: "status" }, words));
      else say("The simulation does not answer.");
      if (page) page.grab.enabled = false;
    },
  });
}
