/** The connection with a simulation that runs. */

import { decodeFrame, type Frame } from "./frame";
import { layoutOf, type Layout, type SceneInfo } from "./scene";

/** What the server says first. */
export interface Hello {
  scene: SceneInfo;
  series: { name: string; unit: string }[];
  actuators: Slider[];
  contact: boolean;
}

/** An actuator that a slider sets. */
export interface Slider {
  index: number;
  name: string;
  unit: string;
  low: number;
  high: number;
  value: number;
}

export interface Status {
  paused: boolean;
  failed: boolean;
  speed: number;
  /** Simulated seconds per second. */
  ratio: number;
  time: number;
}

export interface Listener {
  hello(hello: Hello): void;
  /** A frame, and a value for each series. */
  frame(frame: Frame, values: Float32Array): void;
  status(status: Status): void;
  /** Whether this page may command. */
  role(commands: boolean): void;
  reset(): void;
  error(text: string): void;
  closed(): void;
}

export class Link {
  private readonly socket: WebSocket;
  private layout: Layout | null = null;

  constructor(address: string, private readonly listener: Listener) {
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", (event) => this.receive(event.data));
    this.socket.addEventListener("close", () => listener.closed());
  }

  /** Sends a command, such as `{ command: "pause" }`. */
  send(command: { command: string } & Record<string, unknown>): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  private receive(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) this.receiveFrame(data);
    else this.receiveNote(JSON.parse(data));
  }

  private receiveFrame(data: ArrayBuffer): void {
    if (!this.layout) return;
    const count = new DataView(data).getUint32(0, true);
    const values = new Float32Array(data, 4, count);
    this.listener.frame(decodeFrame(data.slice(4 + 4 * count), this.layout), values);
  }

  private receiveNote(note: { kind: string } & Record<string, unknown>): void {
    const { listener } = this;
    if (note.kind === "hello") {
      const hello = note as unknown as Hello;
      this.layout = layoutOf(hello.scene);
      listener.hello(hello);
    } else if (note.kind === "status") listener.status(note as unknown as Status);
    else if (note.kind === "role") listener.role(note.commands === true);
    else if (note.kind === "reset") listener.reset();
    else if (note.kind === "error") listener.error(String(note.text));
  }
}
