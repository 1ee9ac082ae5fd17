/** The keys, in a dialog. */

import { el, iconButton } from "./dom";

export const KEYS: [keys: string, does: string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame; with Shift ten"],
  ["Home End", "first, last frame"],
  ["− +", "slower, faster"],
  ["L", "start again at the end"],
  ["C", "next coloring of rods"],
  ["1 2 3 4", "camera: home, front, side, top"],
  ["O", "orthographic camera"],
  ["F", "follow what is picked, or the rods"],
  ["K", "contact points"],
  ["A", "contact forces"],
  ["P", "pressure of patches"],
  ["W", "stripe that shows twist"],
  ["S", "shadows"],
  ["G", "ground"],
  ["X", "save a picture"],
  ["T", "light or dark"],
  ["B", "panel"],
  ["Esc", "unpick, close"],
  ["H ?", "this help"],
];

export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.flatMap(([keys, does]) => {
    const caps = el("span", {});
    for (const key of keys.split(" ")) caps.append(el("kbd", {}, key), " ");
    return [caps, el("span", {}, does)];
  });
  const dialog = el("dialog", { "aria-label": "Keys" });
  const close = iconButton("close", "Close", () => dialog.close());
  close.style.float = "right";
  dialog.append(
    close,
    el("h2", {}, "Keys"),
    el("div", { class: "keys" }, ...rows),
    el("p", {}, "Drag to turn, drag with the right button to move, wheel to zoom. Click a rope or a link for its numbers; the sign beside a number plots it. Click in a plot to go to that time. In a simulation that runs, drag a rope, a link or a body to pull it; with Shift the drag turns the camera."),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
