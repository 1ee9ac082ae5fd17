/** The card with the numbers of what is picked. */

import type { Fact, Facts } from "../facts";
import type { Moment } from "../quantities";
import { el, format, iconButton, tick } from "./dom";

export class Inspector {
  readonly element = el("aside", { class: "card inspector", hidden: true });
  private facts: Facts | null = null;
  private values: HTMLElement[] = [];

  /** `plot` is called with a fact whose series is asked for. */
  constructor(
    private readonly plot: (facts: Facts, fact: Fact) => void,
    private readonly close: () => void,
  ) {}

  show(facts: Facts | null, moment: Moment): void {
    this.facts = facts;
    this.element.hidden = facts === null;
    if (!facts) return;
    const list = el("dl");
    this.values = facts.facts.map((fact) => {
      const value = el("dd");
      const button = iconButton("plot", `Plot ${fact.name}`, () => this.plot(facts, fact));
      button.classList.add("small");
      list.append(el("dt", {}, fact.name), value, fact.read(moment).length === 1 ? button : el("span"));
      return value;
    });
    const close = iconButton("close", "Unpick (Esc)", this.close);
    close.classList.add("small");
    const head = el("header", {}, el("strong", {}, facts.name), el("span", {}, facts.kind), close);
    this.element.replaceChildren(head, list);
    this.update(moment);
  }

  update(moment: Moment): void {
    this.facts?.facts.forEach((fact, f) => {
      this.values[f].textContent = `${fact.read(moment).map((x, _, all) => (all.length > 1 ? tick(x) : format(x))).join(", ")} ${fact.unit}`;
    });
  }
}
