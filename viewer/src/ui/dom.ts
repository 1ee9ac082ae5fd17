/** Elements. Text is always set as text, never as markup: names come from scenes. */

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes, listeners (`onclick`) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const ICONS = {
  play: "M7 5l12 7-12 7z",
  pause: "M7 5h4v14H7zM14 5h4v14h-4z",
  first: "M6 5h2.4v14H6zM19 5v14l-9-7z",
  back: "M15.5 5v14l-9-7z",
  forward: "M8.5 5v14l9-7z",
  loop: "M17 4l4 4-4 4V9H7v4H5V7h12zM7 20l-4-4 4-4v3h10v-4h2v6H7z",
  camera: "M9 5l-1.5 2H4a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h16a1 1 0 0 0 1-1V8a1 1 0 0 0-1-1h-3.500L15 5zm3 4.500a3.700 3.700 0 1 1 0 7.400 3.700 3.700 0 0 1 0-7.400z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-1 13h2v2h-2zm1-10c2 0 3.500 1.300 3.500 3.100 0 2.100-2.500 2.500-2.500 4.400v.5h-2v-.7c0-2.600 2.400-2.700 2.400-4.200 0-.7-.6-1.200-1.400-1.200-.9 0-1.500.6-1.500 1.500h-2C8.500 7.300 10 6 12 6z",
  panel: "M4 5h16v14H4zm2 2v10h7V7zm9 0v10h3V7z",
  close: "M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600l5.600-5.600L5 6.400z",
  plot: "M4 4h2v14h14v2H4zm4 11l4-5 3 3 4-6 1.600 1.100L15.200 16 12.100 13 9.600 16.200z",
  reset: "M12 5V2L7 6.500 12 11V8a5 5 0 1 1-5 5H5a7 7 0 1 0 7-8z",
};

export type Icon = keyof typeof ICONS;

/** A drawing of 24 × 24. */
export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

/** A button with a drawing; `label` is for those who point at it or do not see it. */
export function iconButton(name: Icon, label: string, press: () => void): HTMLButtonElement {
  return el("button", { class: "icon", title: label, "aria-label": label, type: "button", onclick: press }, icon(name));
}

/** A number for people: four digits, powers of ten where they are needed. */
export function format(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [digits, power] = x.toExponential(2).split("e");
    const raised = [...String(Number(power))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
    return `${digits.replace("-", "−")}·10${raised}`;
  }
  const text = size >= 1000 ? x.toFixed(0) : x.toPrecision(size >= 1 ? 4 : 3);
  return text.replace("-", "−");
}

/** A round number for people, without zeros at its end. */
export function tick(x: number): string {
  const text = format(x);
  return /^[−\d.]+$/.test(text) && text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A length in m in the unit in which its number is short. */
export function lengthWords(x: number): string {
  const [size, unit] = x >= 1 ? [1, "m"] : x >= 0.01 ? [0.01, "cm"] : x >= 0.001 ? [0.001, "mm"] : [1e-6, "µm"];
  return `${tick(x / size)} ${unit}`;
}

/** `x` or a little more, with two digits. */
export function roundUp(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return x;
  const step = 10 ** (Math.floor(Math.log10(x)) - 1);
  return Number((Math.ceil(x / step - 1e-9) * step).toPrecision(2));
}
