// CPU time of a frame: node test/speed.mjs PAGE.html [MOST_MS]. Draws in software at 1280 × 720 with 8 sides, without
// multisampling and shadows, and counts the CPU time of all processes of the browser.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

const [file, most] = process.argv.slice(2);
const FRAMES = 100;

/** CPU seconds so far of this process' children and theirs. */
function cpuSeconds() {
  const parents = new Map();
  const times = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      parents.set(pid, fields[1]);
      times.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      // It has ended meanwhile.
    }
  }
  let sum = 0;
  for (const [pid, time] of times) {
    let at = pid;
    while (at && at !== String(process.pid)) at = parents.get(at);
    if (at && pid !== String(process.pid)) sum += time;
  }
  return sum;
}

// The stage itself is 1280 × 720: the panel is hidden, and the bar below comes on top.
const { context, close } = await launch({ width: 1280, height: 720 + 52 });
try {
  const { page, errors } = await open(context, `${pathToFileURL(file)}#play=0&panel=0&sides=8&antialias=0&shadows=0`);
  const size = await page.evaluate(() => [window.ropewalk.stage.canvas.width, window.ropewalk.stage.canvas.height]);
  const draw = (count) =>
    page.evaluate(
      (n) =>
        new Promise((resolve) => {
          const { playback, stage } = window.ropewalk;
          const end = stage.drawn + n;
          const next = () => {
            playback.jump((playback.index + 1) % (playback.last + 1));
            if (stage.drawn >= end) resolve(stage.drawn);
            else requestAnimationFrame(next);
          };
          next();
        }),
      count,
    );
  await draw(20);
  const [before, started] = [cpuSeconds(), performance.now()];
  await draw(FRAMES);
  const cpu = (1000 * (cpuSeconds() - before)) / FRAMES;
  const wall = (performance.now() - started) / FRAMES;
  console.log(`${size.join(" × ")}: ${cpu.toFixed(1)} CPU-ms a frame, ${wall.toFixed(1)} ms of the clock`);
  if (errors.length) throw new Error(errors.join("\n"));
  if (most && cpu > Number(most)) {
    console.error(`more than ${most} CPU-ms a frame`);
    process.exitCode = 1;
  }
} finally {
  await close();
}
