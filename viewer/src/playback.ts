/** Which frame is shown: plays at a speed, steps, jumps. */

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Playback {
  /** Index of the frame shown. */
  index = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** Whether the newest frame is to be shown, of a run that goes on. */
  atEdge = false;
  /** Time of the run in s, between frames too. */
  private clock: number;

  /** `times` of the frames in s, rising; it may grow. */
  constructor(
    readonly times: ArrayLike<number> & { length: number },
    private readonly changed: () => void,
    private readonly grows = false,
  ) {
    this.atEdge = grows;
    this.clock = times[0] ?? 0;
  }

  get time(): number {
    return this.times[this.index] ?? 0;
  }

  get last(): number {
    return Math.max(0, this.times.length - 1);
  }

  /** `seconds` of the clock on the wall have passed. */
  tick(seconds: number): void {
    if (!this.playing || this.times.length === 0) return;
    // A page that was hidden goes on where it was.
    this.clock += Math.min(seconds, 0.1) * this.speed;
    const end = this.times[this.last];
    if (this.clock > end) {
      if (this.grows) this.edge();
      else if (this.loop && this.last > 0) this.clock = this.times[0];
      else {
        this.clock = end;
        this.playing = false;
      }
    }
    this.show(this.frameAt(this.clock));
  }

  /** Shows the newest frame, and those to come. */
  edge(): void {
    this.playing = false;
    this.jump(this.last);
    this.atEdge = this.grows;
  }

  /** There is a new frame. */
  grown(): void {
    if (this.atEdge) this.edge();
    else this.changed();
  }

  toggle(): void {
    this.atEdge = false;
    if (!this.playing && this.index === this.last) this.clock = this.times[0] ?? 0;
    this.playing = !this.playing;
    this.changed();
  }

  /** Shows frame `index`, or the nearest that there is. */
  jump(index: number): void {
    const to = Math.min(Math.max(Math.round(index), 0), this.last);
    this.clock = this.times[to] ?? 0;
    this.atEdge = this.grows && to === this.last;
    this.show(to, true);
  }

  step(count: number): void {
    this.playing = false;
    this.jump(this.index + count);
  }

  /** Jumps to the frame nearest to `time` (s). */
  seek(time: number): void {
    const before = this.frameAt(time);
    const after = Math.min(before + 1, this.last);
    this.jump(time - this.times[before] > this.times[after] - time ? after : before);
  }

  faster(count: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed - 1e-9);
    this.speed = SPEEDS[Math.min(Math.max(at + count, 0), SPEEDS.length - 1)];
    this.changed();
  }

  /** Last frame not after `time`. */
  private frameAt(time: number): number {
    let [low, high] = [0, this.last];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private show(index: number, always = false): void {
    if (index === this.index && !always) return;
    this.index = index;
    this.changed();
  }
}
