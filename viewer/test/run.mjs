// Tries pages in a browser: node test/run.mjs ROPEWALK [SCENE…], with the command to make pages with. Without scenes, three
// of them; with `all`, every embedded scene. RUN_ARGUMENTS are added to each run, SHOTS names a directory for pictures, PAGES one
// with pages SCENE.html that were made before (docs/_extra/runs, by tools/make-gallery); scenes without a page there are run.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium, launch, open, pictureFacts, settle } from "./browser.mjs";

const [command, ...asked] = process.argv.slice(2);
if (!command) throw new Error("usage: node test/run.mjs ROPEWALK [SCENE… | all]");
if (!findChromium()) {
  console.log("no Chromium is found: pages were not tried (install Debian's chromium, or set CHROMIUM)");
  process.exit(0);
}
const few = ["twisted_ring", "capstan", "arm_rope"];
const all = () => execFileSync(command, ["list", "--json"], { encoding: "utf8" });
const scenes = asked.length === 0 ? few : asked[0] === "all" ? JSON.parse(all()).map((scene) => scene.name) : asked;
const shots = process.env.SHOTS;
const scratch = mkdtempSync(join(tmpdir(), "ropewalk-pages-"));
if (shots) mkdirSync(shots, { recursive: true });

/** Runs a scene. A claim is about the whole run; a part of it may miss one. */
function runScene(...words) {
  try {
    execFileSync(command, ["run", ...words, "--quiet"], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  } catch (error) {
    if (error.status !== 1) throw new Error(`run ${words.join(" ")}: ${error.stderr}`);
  }
}

/** Runs a scene into a page. */
function makePage(scene) {
  const made = process.env.PAGES && join(process.env.PAGES, `${scene}.html`);
  if (made && existsSync(made)) return made;
  const page = join(scratch, `${scene}.html`);
  const more = process.env.RUN_ARGUMENTS?.split(" ") ?? (asked.length === 0 ? ["--duration", "0.2"] : []);
  runScene(scene, "--html", page, ...more);
  return page;
}

/** The picture as text, to compare. */
const picture = (page) => page.evaluate(async () => Array.from(new Uint8Array(await (await window.ropewalk.stage.screenshot()).arrayBuffer())).join());

const checks = {
  async "plays and is not blank"({ page }) {
    const index = () => page.evaluate(() => window.ropewalk.playback.index);
    await page.evaluate(() => window.ropewalk.playback.jump(0));
    const facts = await pictureFacts(page);
    assert.ok(facts.colors > 20 && facts.unlike > 0.02, `the picture is blank: ${JSON.stringify(facts)}`);
    await page.keyboard.press("Space");
    const before = await index();
    await page.waitForFunction((k) => window.ropewalk.playback.index !== k, before, { timeout: 120_000 });
    await page.evaluate(() => (window.ropewalk.playback.playing = false));
  },
  async scrub({ page }) {
    const rail = await page.locator(".scrub").boundingBox();
    await page.mouse.click(rail.x + rail.width * 0.5, rail.y + rail.height / 2);
    const { time, length } = await page.evaluate(() => {
      const { playback } = window.ropewalk;
      return { time: playback.time - playback.times[0], length: playback.times[playback.last] - playback.times[0] };
    });
    assert.ok(Math.abs(time / length - 0.5) < 0.1, `scrubbed to ${time} of ${length} s`);
  },
  async color({ page }) {
    if ((await page.evaluate(() => window.ropewalk.run.scene.rods.length)) === 0) return;
    const before = await picture(page);
    for (const key of ["tension", "curvature", "twist", "speed", "contact"]) {
      await page.getByLabel("Color rods by").selectOption(key);
      await settle(page);
      assert.ok((await page.locator(".legend .ramp").count()) >= 1, `no legend for ${key}`);
    }
    await page.getByLabel("Color rods by").selectOption("curvature");
    await settle(page);
    assert.notEqual(await picture(page), before);
  },
  async pick({ page }) {
    const things = await page.evaluate(() => window.ropewalk.places());
    assert.ok(things.length > 0, "nothing can be picked");
    const { x, y, name } = things[0];
    await page.mouse.click(x, y);
    await page.waitForSelector(".inspector:not([hidden])");
    assert.ok((await page.locator(".inspector strong").textContent()).startsWith(name));
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".inspector:not([hidden])").count(), 0);
  },
  async plot({ page }) {
    await page.getByLabel("Add a plot").selectOption({ index: 1 });
    await page.waitForSelector(".plot canvas");
    const over = await page.locator(".plot .u-over").boundingBox();
    await page.mouse.click(over.x + over.width * 0.25, over.y + over.height / 2);
    const share = await page.evaluate(() => {
      const { playback } = window.ropewalk;
      return (playback.time - playback.times[0]) / (playback.times[playback.last] - playback.times[0]);
    });
    assert.ok(Math.abs(share - 0.25) < 0.12, `the plot sought ${share} of the run`);
    await page.locator(".plot header button").click();
    assert.equal(await page.locator(".plot").count(), 0);
    // The picture takes the room of the plot back.
    await page.waitForFunction((gone) => window.ropewalk.stage.canvas.clientHeight > gone, over.y, { timeout: 120_000 });
  },
  async "cameras, themes and help"({ page }) {
    const place = () => page.evaluate(() => window.ropewalk.stage.cameras.place);
    const home = await place();
    await page.keyboard.press("4");
    const top = await place();
    assert.ok(top.position[2] > top.target[2] && Math.abs(top.position[0] - top.target[0]) < 1e-3 * Math.abs(top.position[2] - top.target[2]));
    await page.keyboard.press("o");
    assert.ok((await place()).orthographic);
    await page.keyboard.press("o");
    await page.keyboard.press("1");
    const back = await place();
    back.position.forEach((x, i) => assert.ok(Math.abs(x - home.position[i]) < 1e-6 * Math.hypot(...home.position)));
    await page.keyboard.press("t");
    await page.keyboard.press("h");
    assert.equal(await page.locator("dialog[open]").count(), 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    const bad = await page.evaluate(() => {
      try {
        window.ropewalk.stage.cameras.place = { position: [NaN, 0, 0], target: [0, 0, 0], orthographic: false };
        return null;
      } catch (error) {
        return error.message;
      }
    });
    assert.match(bad, /not finite/);
  },
};

/** A name that would end the script if it were written into the page, and a page that has no size. */
async function badInput(context) {
  const toml = join(scratch, "bad.toml");
  const name = "</script><script>document.title='taken'</script>";
  const scene = readFileSync(new URL("../../crates/scene/scenes/cantilever.toml", import.meta.url), "utf8");
  const ball = '[body.ball]\nshape = { sphere = { radius = 0.05 } }\nposition = [0.15, 0.1, 0.0]\nmotion = "fixed"\ncolor = [0.9, 0.05, 0.05, 1.0]\n';
  writeFileSync(toml, `${scene.replace(/^title = .*$/m, `title = "${name}"`)}\n${ball}`);
  const file = join(scratch, "bad.html");
  runScene(toml, "--html", file, "--duration", "0.02");
  // What the page says goes away by itself: a slow machine would miss it.
  await context.addInitScript(() => {
    window.said = [];
    const hear = ({ addedNodes }) => addedNodes.forEach((node) => node.classList?.contains("toast") && window.said.push(node.textContent));
    new MutationObserver((changes) => changes.forEach(hear)).observe(document, { childList: true, subtree: true });
  });
  const { page, errors } = await open(context, `${pathToFileURL(file)}#camera=NaN,0,0,0,0,0`);
  assert.equal(await page.locator("h1").textContent(), name);
  assert.ok((await page.title()).startsWith("</script>"));
  assert.match((await page.evaluate(() => window.said)).join("\n"), /six finite numbers/);
  // The ball has the color that the scene gives it.
  const { red } = await pictureFacts(page);
  assert.ok(red > 0.005, `${red} of the picture is red`);
  for (const size of [{ width: 1, height: 1 }, { width: 6000, height: 4000 }, { width: 1280, height: 720 }]) {
    await page.setViewportSize(size);
    await settle(page);
  }
  const pixels = await page.evaluate(() => window.ropewalk.stage.canvas.width * window.ropewalk.stage.canvas.height);
  assert.ok(pixels <= 16e6);
  assert.deepEqual(errors, []);
  await page.close();
  console.log("ok  bad input");
}

/** `ropewalk view` serves the page to those who have the token. */
async function served(context) {
  const out = join(scratch, "served");
  runScene("cantilever", "--out", out, "--duration", "0.05");
  const server = spawn(command, ["view", join(out, "run.mcap")], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const address = await new Promise((resolve, reject) => {
      server.stdout.once("data", (data) => resolve(String(data).trim()));
      server.once("exit", (code) => reject(new Error(`view ended with ${code}`)));
    });
    const { page, errors } = await open(context, address);
    assert.deepEqual(errors, []);
    await page.close();
    const { origin } = new URL(address);
    assert.equal((await fetch(`${origin}/`)).status, 403);
    assert.equal((await fetch(`${origin}/${"0".repeat(32)}/`)).status, 403);
    assert.equal((await fetch(address, { headers: { Origin: "http://example.org" } })).status, 403);
    console.log("ok  token refused");
  } finally {
    server.kill("SIGINT");
  }
}

/** Starts `run SCENE --view` with a recording in `out`; `ended` is its exit code. */
async function startLive(scene, out) {
  const server = spawn(command, ["run", scene, "--view", "--out", out, "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", (code) => reject(new Error(`run --view ended with ${code}`)));
  });
  return { server, ended, address };
}

/** Does the run in `out` again: its end must be that of the recording, to the last bit. */
function replay(scene, out) {
  const again = execFileSync(command, ["run", scene, "--replay", join(out, "run.mcap"), "--quiet"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(again, "");
}

/** Step, reset, speed, gravity and the target of an actuator; all that changes the physics is in the replay. */
async function controls(context) {
  const out = join(scratch, "controls");
  const { server, ended, address } = await startLive("two_arms", out);
  try {
    const { page, errors } = await open(context, address);
    const time = () => page.evaluate(() => window.ropewalk.currentFrame?.time ?? 0);
    const reaches = (least) => page.waitForFunction((t) => window.ropewalk.currentFrame?.time > t, least, { timeout: 120_000 });
    const step = async () => {
      const before = await time();
      await page.getByRole("button", { name: "One step" }).click();
      await reaches(before + 1e-9);
      return (await time()) - before;
    };
    for (let k = 0; k < 3; k++) {
      const taken = await step();
      assert.ok(Math.abs(taken - 1e-3) < 1e-9, `a step took ${taken} s`);
    }
    const gravity = page.getByLabel("Gravity along z");
    await gravity.fill("5");
    await page.getByRole("button", { name: "Back to the start" }).click();
    await page.waitForFunction(() => window.ropewalk.currentFrame?.time === 0, null, { timeout: 120_000 });
    assert.ok(Number(await gravity.inputValue()) < -9.7, "the slider of gravity is not where the scene has it");
    await page.getByLabel("Speed of the simulation").selectOption("0.05");
    await page.locator("button.run").click();
    await reaches(0.02);
    const ratio = Number.parseFloat(await page.locator(".panel .status").textContent());
    assert.ok(ratio > 0 && ratio < 0.2, `runs at ${ratio} of real time`);
    await page.getByLabel("Speed of the simulation").selectOption("0");
    await gravity.fill("5");
    const target = page.locator("label.slider input").last();
    await target.fill(await target.getAttribute("max"));
    await reaches((await time()) + 0.2);
    await page.locator("button.run").click();
    await page.locator("button.run", { hasText: "Run" }).waitFor();
    const rested = await time();
    await page.waitForTimeout(300);
    assert.equal(await time(), rested);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    server.kill("SIGINT");
  }
  assert.equal(await ended, 0);
  const { events } = JSON.parse(execFileSync(command, ["info", join(out, "run.mcap"), "--json"], { encoding: "utf8" }));
  for (const word of ["gravity", "target"]) assert.ok(JSON.stringify(events).includes(word), `no event of ${word}`);
  replay("two_arms", out);
  console.log("ok  live: step, reset, speed, gravity, target, replay to the last bit");
}

/** A simulation that runs: a second page looks on, a rope follows the mouse, and the replay gives the same bits. */
async function live(context) {
  const out = join(scratch, "live");
  const { server, ended, address } = await startLive("capstan", out);
  try {
    const { page, errors } = await open(context, `${address}#theme=light`);
    const second = await open(context, address);
    await second.page.waitForSelector("fieldset:disabled");
    await second.page.close();
    const frameTime = () => page.evaluate(() => window.ropewalk.currentFrame?.time ?? 0);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.ropewalk.currentFrame?.time > 0.01, null, { timeout: 120_000 });
    // The rope is drawn on meanwhile: it rests until the mouse holds it, however slow the machine.
    await page.keyboard.press("Space");
    await page.waitForTimeout(500);
    const place = (await page.evaluate(() => window.ropewalk.places())).find(({ name }) => name === "rope");
    const held = await page.evaluate(({ x, y }) => window.ropewalk.pickAt(x, y), place);
    // In pixels: where the held edge is in the picture.
    const seen = () =>
      page.evaluate(({ edge }) => {
        const { stage, currentFrame } = window.ropewalk;
        const at = stage.cameras.current.position.clone().fromArray(currentFrame.nodes, 5 * edge).project(stage.cameras.current);
        const box = stage.canvas.getBoundingClientRect();
        return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
      }, held);
    const before = await seen();
    await page.mouse.move(place.x, place.y);
    await page.mouse.down();
    for (let k = 1; k <= 10; k++) await page.mouse.move(place.x + 6 * k, place.y + 4 * k);
    await page.keyboard.press("Space");
    const pulledFrom = await frameTime();
    await page.waitForFunction((t) => window.ropewalk.currentFrame?.time > t + 0.15, pulledFrom, { timeout: 120_000 });
    const after = await seen();
    // The mouse went over the post; the rope did not go into it. In m: the centerline from the axis of the post, whose radius is 30 mm.
    const nearest = await page.evaluate(() => {
      const { nodes } = window.ropewalk.currentFrame;
      let least = Infinity;
      for (let i = 0; i < nodes.length; i += 5) least = Math.min(least, Math.hypot(nodes[i], nodes[i + 1]));
      return least;
    });
    assert.ok(nearest > 0.0305, `the rope is ${nearest} m from the axis of the post`);
    if (shots) await page.screenshot({ path: join(shots, "live.png") });
    await page.mouse.up();
    const moved = (6 * (after[0] - before[0]) + 4 * (after[1] - before[1])) / Math.hypot(6, 4);
    assert.ok(moved > 8, `the rope followed the mouse by ${moved.toFixed(1)} pixels of 72`);
    const friction = page.locator("label.slider input").first();
    await friction.fill("0.5");
    const released = await frameTime();
    await page.waitForFunction((t) => window.ropewalk.currentFrame?.time > t + 0.02, released, { timeout: 120_000 });
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    server.kill("SIGINT");
  }
  assert.equal(await ended, 0);
  replay("capstan", out);
  console.log("ok  live: drag, post, slider, second page, replay to the last bit");
}

const { context, close } = await launch();
try {
  for (const scene of scenes) {
    const file = makePage(scene);
    const { page, errors } = await open(context, `${pathToFileURL(file)}#play=0&theme=light`);
    assert.equal(await page.locator(".error").count(), 0, await page.locator("body").textContent());
    for (const [name, check] of Object.entries(checks)) {
      await check({ page }).catch((error) => {
        throw new Error(`${scene}: ${name}: ${error.message}`);
      });
    }
    if (shots) {
      await page.evaluate(() => window.ropewalk.setColor(""));
      await page.evaluate(() => window.ropewalk.playback.jump(0.7 * window.ropewalk.playback.last));
      await settle(page);
      await page.screenshot({ path: join(shots, `${scene}.png`) });
    }
    assert.deepEqual(errors, [], `${scene}: errors in the console`);
    await page.close();
    console.log(`ok  ${scene} (${Math.round(statSync(file).size / 1024)} KB)`);
  }
  await badInput(context);
  await served(context);
  await live(context);
  await controls(context);
} finally {
  await close();
  rmSync(scratch, { recursive: true, force: true });
}
