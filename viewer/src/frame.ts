/** A moment of a run in single precision, and the binary message that carries it. */

import type { Layout } from "./scene";

/** Numbers of a node: x, y, z (m), angle (rad), tension (N). */
export const NODE = 5;
/** Numbers of a link: position (m), quat_xyzw. */
export const LINK = 7;
/** Numbers of a contact: point (m), force on the first side (N), gap (m), and one word for the two sides. */
export const CONTACT = 8;

export interface Frame {
  /** Time in s. */
  time: number;
  /** `NODE` numbers a node. */
  nodes: Float32Array;
  /** `LINK` numbers a link. */
  links: Float32Array;
  /** `CONTACT` numbers a contact; the last is not a number to read, see `sides`. */
  contacts: Float32Array;
  /** Two numbers a contact: index of a rod, or number of rods + index of a tree. */
  sides: Uint16Array;
  polygons: Polygons;
  /** 1 where an attachment holds. */
  attached: Uint8Array;
}

/** The polygons of all patches. */
export interface Polygons {
  /** Pressure of each in Pa. */
  pressure: Float32Array;
  /** Number of corners of each. */
  corners: Uint16Array;
  /** Index of the patch of each. */
  patch: Uint16Array;
  /** Three numbers (m) for each corner of each polygon. */
  points: Float32Array;
}

const MAGIC = 0x31465752;
const HEADER = 40;

/** Reads the binary message of a frame; refuses one whose length or counts do not fit `layout`. */
export function decodeFrame(buffer: ArrayBuffer, layout: Layout): Frame {
  if (buffer.byteLength < HEADER) throw new Error("A frame is shorter than its header.");
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC) throw new Error("This is not a frame of format 1.");
  const time = view.getFloat64(8, true);
  const [nodes, links, contacts, polygons, corners, attachments] = [0, 1, 2, 3, 4, 5].map((i) =>
    view.getUint32(16 + 4 * i, true),
  );
  const padded = 4 * Math.ceil(attachments / 4);
  const expected =
    HEADER + 20 * nodes + 28 * links + 32 * contacts + 8 * polygons + 12 * corners + padded;
  if (buffer.byteLength !== expected) {
    throw new Error(`A frame has ${buffer.byteLength} bytes, its header asks for ${expected}.`);
  }
  if (nodes !== layout.nodeCount || links !== layout.linkCount || !Number.isFinite(time)) {
    throw new Error("A frame does not fit the scene.");
  }
  let at = HEADER;
  const floats = (count: number): Float32Array => {
    const array = new Float32Array(buffer, at, count);
    at += 4 * count;
    return array;
  };
  const frame: Partial<Frame> = { time, nodes: floats(NODE * nodes), links: floats(LINK * links) };
  const sidesAt = at;
  frame.contacts = floats(CONTACT * contacts);
  frame.sides = new Uint16Array(2 * contacts);
  for (let c = 0; c < contacts; c++) {
    frame.sides[2 * c] = view.getUint16(sidesAt + 32 * c + 28, true);
    frame.sides[2 * c + 1] = view.getUint16(sidesAt + 32 * c + 30, true);
  }
  const pressure = new Float32Array(polygons);
  const counts = new Uint16Array(polygons);
  const patch = new Uint16Array(polygons);
  let sum = 0;
  for (let p = 0; p < polygons; p++, at += 8) {
    pressure[p] = view.getFloat32(at, true);
    counts[p] = view.getUint16(at + 4, true);
    patch[p] = view.getUint16(at + 6, true);
    sum += counts[p];
  }
  if (sum !== corners) throw new Error("The polygons of a frame do not have the corners that it counts.");
  frame.polygons = { pressure, corners: counts, patch, points: floats(3 * corners) };
  frame.attached = new Uint8Array(buffer, at, attachments);
  return frame as Frame;
}
