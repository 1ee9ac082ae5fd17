/** Plots of measured quantities, with a cursor tied to the time shown. */

import uPlot from "uplot";
import type { Series } from "../payload";
import { el, format, iconButton, tick } from "./dom";

/** Most plots side by side. */
const MOST_PLOTS = 4;
const HEIGHT = 148;

interface Plot {
  series: Series;
  element: HTMLElement;
  value: HTMLOutputElement;
  chart: uPlot;
}

export class Plots {
  readonly element = el("div", { class: "plots" });
  private plots: Plot[] = [];
  private index = 0;

  /** `times` of the frames in s; `seek` is called with a time that is clicked. */
  constructor(
    private readonly times: () => number[],
    private readonly seek: (time: number) => void,
    private readonly changed: () => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  get names(): string[] {
    return this.plots.map((plot) => plot.series.name);
  }

  /** Adds a plot; the oldest goes if there are too many. One that is there is taken away. */
  toggle(series: Series): void {
    const at = this.plots.findIndex((plot) => plot.series.name === series.name);
    if (at >= 0) return this.remove(this.plots[at]);
    if (this.plots.length >= MOST_PLOTS) this.remove(this.plots[0]);
    const value = el("output");
    const name = series.unit ? `${series.name} (${series.unit})` : series.name;
    const close = iconButton("close", "Take this plot away", () => this.remove(plot));
    close.classList.add("small");
    const area = el("div");
    const element = el("section", { class: "plot" }, el("header", {}, el("strong", { title: name }, name), value, close), area);
    this.element.append(element);
    const plot: Plot = { series, element, value, chart: this.chart(series, area) };
    this.plots.push(plot);
    this.resize();
    this.setIndex(this.index);
    this.changed();
  }

  private remove(plot: Plot): void {
    plot.chart.destroy();
    plot.element.remove();
    this.plots = this.plots.filter((other) => other !== plot);
    this.resize();
    this.changed();
  }

  private data(series: Series): uPlot.AlignedData {
    const values = Array.from(series.values, (x) => (Number.isFinite(x) ? x : null));
    return [this.times(), values];
  }

  private chart(series: Series, area: HTMLElement): uPlot {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const axis: uPlot.Axis = {
      stroke: color("--soft"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: color("--line"), width: 1 },
      ticks: { stroke: color("--line"), width: 1, size: 4 },
    };
    const chart = new uPlot(
      {
        width: 300,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { x: { time: false } },
        series: [{}, { stroke: color("--accent"), width: 1.6, points: { show: false } }],
        axes: [{ ...axis, size: 26, values: (_, ticks) => ticks.map((t) => `${t} s`) }, { ...axis, size: 62, values: (_, ticks) => ticks.map(tick) }],
        hooks: { draw: [(u) => this.drawCursor(u)] },
      },
      this.data(series),
      area,
    );
    chart.over.addEventListener("pointerdown", (event) => {
      const go = (at: PointerEvent) => this.seek(chart.posToVal(at.clientX - chart.over.getBoundingClientRect().left, "x"));
      go(event);
      const over = chart.over;
      over.setPointerCapture(event.pointerId);
      over.addEventListener("pointermove", go);
      over.addEventListener("pointerup", () => over.removeEventListener("pointermove", go), { once: true });
    });
    return chart;
  }

  private drawCursor(chart: uPlot): void {
    const time = this.times()[this.index];
    if (time === undefined) return;
    const x = Math.round(chart.valToPos(time, "x", true));
    const { top, height } = chart.bbox;
    const { ctx } = chart;
    ctx.save();
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--text");
    ctx.fillRect(x, top, Math.max(1, window.devicePixelRatio), height);
    ctx.restore();
  }

  /** Moves the cursors to frame `index`. */
  setIndex(index: number): void {
    this.index = index;
    for (const plot of this.plots) {
      plot.value.textContent = `${format(plot.series.values[index])} ${plot.series.unit}`;
      plot.chart.redraw(false, false);
    }
  }

  /** Draws all again: after new frames, or in the colors of another theme. */
  refresh(recolor = false): void {
    for (const plot of this.plots) {
      if (recolor) {
        const area = plot.chart.root.parentElement;
        plot.chart.destroy();
        if (area) plot.chart = this.chart(plot.series, area);
      } else {
        plot.chart.setData(this.data(plot.series));
      }
    }
    if (recolor) this.resize();
  }

  private resize(): void {
    for (const plot of this.plots) {
      const width = plot.element.clientWidth - 12;
      if (width > 40) plot.chart.setSize({ width, height: HEIGHT });
    }
  }
}
