/**
 * The run in a page: what `crates/view/src/payload` writes, see there for the layout. A gzip stream in base64; inside,
 * a JSON header and one stream of variable-length integers with the frames.
 */

import { CONTACT, LINK, NODE, type Frame } from "./frame";
import { layoutOf, type EventInfo, type SceneInfo } from "./scene";

/** A run: what the page plays. */
export interface Run {
  scene: SceneInfo;
  frames: Frame[];
  events: EventInfo[];
  series: Series[];
}

/** A measured quantity over time. */
export interface Series {
  /** Name with its unit in brackets. */
  name: string;
  unit: string;
  /** One value a frame; not a number where it was not measured. */
  values: ArrayLike<number>;
}

interface Header {
  scene: SceneInfo;
  events: EventInfo[];
  series: { name: string; unit: string }[];
  frame_count: number;
  steps: { length: number; angle: number; tension: number; force: number; pressure: number };
}

const MAGIC = 0x31505752;
/** Most bytes that a page unpacks: a file that asks for more is refused rather than the browser brought down. */
const MOST_BYTES = 1 << 30;

/** The bytes of a gzip stream in base64. */
export async function unpack(base64: string): Promise<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_BYTES) throw new Error("The run in this page is larger than a browser can hold.");
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole.buffer;
}

/** Reads an unpacked run. */
export function decodeRun(buffer: ArrayBuffer): Run {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
    throw new Error("The data in this page is not a run.");
  }
  const jsonLength = view.getUint32(4, true);
  if (8 + jsonLength > buffer.byteLength) throw new Error("The run in this page is cut short.");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, jsonLength))) as Header;
  const { scene, steps, frame_count: count } = header;
  const layout = layoutOf(scene);
  if (!(count * (4 * NODE * layout.nodeCount + 4 * LINK * layout.linkCount) <= MOST_BYTES)) {
    throw new Error("The run in this page is larger than a browser can hold.");
  }
  const reader = new Integers(new Uint8Array(buffer), 8 + jsonLength);
  const times = new Float64Array(buffer.slice(reader.at, reader.at + 8 * count));
  if (times.length !== count) throw new Error("The run in this page is cut short.");
  reader.at += 8 * count;
  const series = header.series.map(({ name, unit }) => {
    const values = new Float32Array(buffer.slice(reader.at, reader.at + 4 * count));
    reader.at += 4 * count;
    return { name, unit, values };
  });
  const nodes = new Predicted(layout.nodeCount, [0, 0, 0, 1, 0], [steps.length, steps.length, steps.length, steps.angle, steps.tension]);
  const links = new Predicted(layout.linkCount, [0, 0, 0, 0, 0, 0, 0], [...Array(3).fill(steps.length), ...Array(4).fill(1 / 32767)]);
  const frames: Frame[] = [];
  for (let k = 0; k < count; k++) {
    const frame = { time: times[k], nodes: nodes.next(reader), links: links.next(reader) } as Frame;
    readContacts(frame, reader, steps);
    readPolygons(frame, reader, steps);
    frame.attached = new Uint8Array(scene.attachments.length);
    for (let a = 0; a < frame.attached.length; a++) frame.attached[a] = reader.unsigned();
    frames.push(frame);
  }
  return { scene, frames, events: header.events, series };
}

/** Integers of seven bits a byte, least first. */
class Integers {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.bytes.length) throw new Error("The run in this page is cut short.");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** 0, −1, 1, −2, … are 0, 1, 2, 3, … */
  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Columns of numbers that a frame is told by its difference from what the two frames before foretell. */
class Predicted {
  private readonly last: Float64Array;
  private readonly before: Float64Array;
  private frame = 0;

  /** `wraps` says which columns are angles, whose steps count modulo 65536. */
  constructor(
    private readonly count: number,
    private readonly wraps: number[],
    private readonly steps: number[],
  ) {
    this.last = new Float64Array(count * steps.length);
    this.before = new Float64Array(count * steps.length);
  }

  next(reader: Integers): Float32Array {
    const { count, steps, wraps, last, before } = this;
    const columns = steps.length;
    const out = new Float32Array(count * columns);
    for (let c = 0; c < columns; c++) {
      const step = steps[c];
      for (let i = 0, at = c * count; i < count; i++, at++) {
        let foretold: number;
        if (this.frame === 0) foretold = i === 0 ? 0 : last[at - 1];
        else if (this.frame === 1 || wraps[c]) foretold = last[at];
        else foretold = 2 * last[at] - before[at];
        let value = foretold + reader.signed();
        if (wraps[c]) value = ((value % 65536) + 65536) % 65536;
        before[at] = last[at];
        last[at] = value;
        out[i * columns + c] = value * step;
      }
    }
    this.frame++;
    return out;
  }
}

function readContacts(frame: Frame, reader: Integers, steps: Header["steps"]): void {
  const count = reader.unsigned();
  frame.contacts = new Float32Array(CONTACT * count);
  frame.sides = new Uint16Array(2 * count);
  const point = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const at = CONTACT * i;
    for (let c = 0; c < 3; c++) {
      point[c] += reader.signed();
      frame.contacts[at + c] = point[c] * steps.length;
    }
    for (let c = 3; c < 6; c++) frame.contacts[at + c] = reader.signed() * steps.force;
    frame.contacts[at + 6] = (reader.signed() * steps.length) / 16;
    frame.sides[2 * i] = reader.unsigned();
    frame.sides[2 * i + 1] = reader.unsigned();
  }
}

function readPolygons(frame: Frame, reader: Integers, steps: Header["steps"]): void {
  const count = reader.unsigned();
  const pressure = new Float32Array(count);
  const corners = new Uint16Array(count);
  const patch = new Uint16Array(count);
  const points: number[] = [];
  const point = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    pressure[i] = reader.unsigned() * steps.pressure;
    corners[i] = reader.unsigned();
    patch[i] = reader.unsigned();
    for (let k = 0; k < corners[i]; k++) {
      for (let c = 0; c < 3; c++) {
        point[c] += reader.signed();
        points.push(point[c] * steps.length);
      }
    }
  }
  frame.polygons = { pressure, corners, patch, points: new Float32Array(points) };
}
