// A headless Chromium that draws in software, and what the tests ask of a page in it.
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Path of a Chromium, from CHROMIUM or where Debian puts it; null if there is none. */
export function findChromium() {
  const given = process.env.CHROMIUM;
  if (given) return given;
  return ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync) ?? null;
}

/** Starts a browser with an empty profile; `close` ends it and removes the profile. */
export async function launch(viewport = { width: 1280, height: 720 }) {
  const profile = await mkdtemp(join(tmpdir(), "ropewalk-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    args: FLAGS,
    viewport,
    acceptDownloads: true,
  });
  // A machine that is busy with other work draws a frame in seconds.
  context.setDefaultTimeout(120_000);
  return {
    context,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Opens `url` and waits until its run is shown. Errors of the page and of its console are collected in `errors`. */
export async function open(context, url) {
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  await page.goto(url);
  await page.waitForFunction(() => window.ropewalk?.stage.drawn > 0 || document.querySelector(".error"), null, { timeout: 120_000 });
  return { page, errors };
}

/** Waits until the page has had two chances to draw. */
export async function settle(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** How the picture looks: number of different colors, share of pixels unlike the most frequent color, and share of red ones. */
export async function pictureFacts(page) {
  return page.evaluate(async () => {
    const bitmap = await createImageBitmap(await window.ropewalk.stage.screenshot());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const drawing = canvas.getContext("2d");
    drawing.drawImage(bitmap, 0, 0);
    const { data } = drawing.getImageData(0, 0, bitmap.width, bitmap.height);
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const color = ((data[i] >> 3) << 10) | ((data[i + 1] >> 3) << 5) | (data[i + 2] >> 3);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    let red = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 100 && data[i + 1] < 0.3 * data[i] && data[i + 2] < 0.3 * data[i]) red++;
    return { colors: counts.size, unlike: 1 - most / (data.length / 4), red: red / (data.length / 4) };
  });
}
