/** Where things are in the window, for scripts that try the page and for those who cannot point. */

import { Vector3 } from "three";
import type { App } from "./app";
import { LINK, NODE } from "./frame";
import { partOf } from "./scene";

/** Edges of a rod that are tried. */
const TRIES = 12;

/** Places at which a click picks a rod or a link. */
export function placesOf(app: App): { x: number; y: number; name: string }[] {
  const { scene } = app.run;
  const frame = app.currentFrame;
  const box = app.stage.canvas.getBoundingClientRect();
  const camera = app.stage.cameras.current;
  camera.updateMatrixWorld();
  const place = (point: Vector3) => {
    const seen = point.clone().project(camera);
    return { x: box.left + (0.5 + 0.5 * seen.x) * box.width, y: box.top + (0.5 - 0.5 * seen.y) * box.height };
  };
  // What lies over the picture takes the click.
  const free = ({ x, y }: { x: number; y: number }) => document.elementFromPoint(x, y) === app.stage.canvas;
  const found: { x: number; y: number; name: string }[] = [];
  scene.rods.forEach((rod, r) => {
    for (let k = 0; k < TRIES; k++) {
      const e = Math.floor(((k + 0.5) * rod.edge_count) / TRIES);
      const [a, b] = [app.layout.rodStart[r] + e, app.layout.rodStart[r] + ((e + 1) % rod.node_count)];
      const middle = new Vector3().fromArray(frame.nodes, NODE * a).lerp(new Vector3().fromArray(frame.nodes, NODE * b), 0.5);
      const at = place(middle);
      const picked = free(at) ? app.pickAt(at.x, at.y) : null;
      if (picked?.kind === "rod" && picked.rod === r) return void found.push({ ...at, name: rod.name });
    }
  });
  for (let link = 0; link < app.layout.linkCount; link++) {
    const at = place(new Vector3().fromArray(frame.links, LINK * link));
    const picked = free(at) ? app.pickAt(at.x, at.y) : null;
    if (picked?.kind !== "link" || picked.link !== link) continue;
    found.push({ ...at, name: scene.trees[partOf(app.layout.treeStart, link)].name });
  }
  return found;
}
