/** The hand: drags what is under the pointer, in the plane across the view, and shows the pull as a line. */

import { BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { App } from "../app";
import { LINK, NODE } from "../frame";
import { partOf } from "../scene";
import type { Picked } from "./pick";

type Send = (command: { command: string } & Record<string, unknown>) => void;

export class Grab {
  /** Whether this page may command. */
  enabled = false;
  private held: Picked | null = null;
  /** The held point in the frame of its link. */
  private readonly offset = new Vector3();
  private readonly mouse = new Vector3();
  private readonly plane = new Plane();
  private readonly line: Line;

  constructor(private readonly app: App, private readonly send: Send) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({ color: 0xd0342c, depthTest: false }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    this.line.renderOrder = 3;
    app.stage.add(this.line);
    const { canvas } = app.stage;
    // Before the camera's own listener.
    canvas.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, () => this.end(), { capture: true });
  }

  private begin(event: PointerEvent): void {
    if (!this.enabled || event.button !== 0 || event.shiftKey) return;
    const picked = this.app.pickAt(event.clientX, event.clientY);
    if (!picked || (picked.kind === "link" && this.isFixed(picked.link))) return;
    this.app.stage.cameras.controls.enabled = false;
    this.app.playback.edge();
    this.held = picked;
    this.plane.setFromNormalAndCoplanarPoint(this.app.stage.cameras.current.getWorldDirection(new Vector3()), picked.point);
    this.mouse.copy(picked.point);
    const { layout } = this.app;
    if (picked.kind === "rod") {
      const { rod, edge, share } = picked;
      this.send({ command: "grab", thing: { rod: { rod, edge, fraction: share } }, point: this.mouse.toArray() });
    } else {
      const tree = partOf(layout.treeStart, picked.link);
      const link = picked.link - layout.treeStart[tree];
      this.offset.copy(picked.point).sub(this.linkPlace(picked.link));
      this.send({ command: "grab", thing: { link: { tree, link } }, point: this.mouse.toArray() });
    }
  }

  private isFixed(link: number): boolean {
    const { layout, run } = this.app;
    const { links } = run.scene.trees[partOf(layout.treeStart, link)];
    return links.every((one) => one.joint_kind === "fixed");
  }

  private linkPlace(link: number): Vector3 {
    return new Vector3().fromArray(this.app.currentFrame.links, LINK * link);
  }

  private move(event: PointerEvent): void {
    if (!this.held) return;
    const box = this.app.stage.canvas.getBoundingClientRect();
    const at = new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.app.stage.cameras.current);
    if (!caster.ray.intersectPlane(this.plane, this.mouse)) return;
    this.send({ command: "drag", point: this.mouse.toArray() });
    this.update();
  }

  private end(): void {
    if (!this.held) return;
    this.held = null;
    this.line.visible = false;
    this.app.stage.cameras.controls.enabled = true;
    this.send({ command: "let_go" });
    this.app.stage.invalidate();
  }

  /** Draws the line from what is held to the mouse. */
  update(): void {
    const { held, app } = this;
    if (!held) return;
    const from = new Vector3();
    if (held.kind === "rod") {
      const { nodes } = app.currentFrame;
      const start = app.layout.rodStart[held.rod];
      const next = (held.edge + 1) % app.run.scene.rods[held.rod].node_count;
      from.fromArray(nodes, NODE * (start + held.edge)).lerp(new Vector3().fromArray(nodes, NODE * (start + next)), held.share);
    } else from.copy(this.linkPlace(held.link)).add(this.offset);
    const places = this.line.geometry.getAttribute("position");
    places.setXYZ(0, from.x, from.y, from.z);
    places.setXYZ(1, this.mouse.x, this.mouse.y, this.mouse.z);
    places.needsUpdate = true;
    this.line.visible = true;
    app.stage.invalidate();
  }
}
