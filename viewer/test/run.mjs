// Tries pages in a browser: node test/run.mjs ROPEWALK [SCENE…], with the command to make pages with. Without scenes, three
// of them; with `all`, every embedded scene. RUN_ARGUMENTS are added to each run, SHOTS names a directory for pictures.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/** Runs a scene into a page. A claim is about the whole run; a part of it may miss one. */
function makePage(scene) {
  const page = join(scratch, `${scene}.html`);
  const more = process.env.RUN_ARGUMENTS?.split(" ") ?? (asked.length === 0 ? ["--duration", "0.2"] : []);
  try {
    execFileSync(command, ["run", scene, "--html", page, "--quiet", ...more], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
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
    await page.waitForFunction((k) => window.ropewalk.playback.index !== k, before, { timeout: 5000 });
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
  writeFileSync(toml, scene.replace(/^title = .*$/m, `title = "${name}"`));
  const file = join(scratch, "bad.html");
  execFileSync(command, ["run", toml, "--html", file, "--quiet", "--duration", "0.02"], { stdio: "ignore" });
  const { page, errors } = await open(context, `${pathToFileURL(file)}#camera=NaN,0,0,0,0,0`);
  assert.equal(await page.locator("h1").textContent(), name);
  assert.ok((await page.title()).startsWith("</script>"));
  assert.match(await page.locator(".toast").textContent(), /six finite numbers/);
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
  execFileSync(command, ["run", "cantilever", "--out", out, "--quiet", "--duration", "0.05"], { stdio: "ignore" });
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
} finally {
  await close();
  rmSync(scratch, { recursive: true, force: true });
}
