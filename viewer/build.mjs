// Builds the page: one HTML file with everything in it. `node build.mjs` writes it where the crate embeds it;
// `node build.mjs --check` compares it with what is there.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const target = new URL("../crates/view/assets/page.html", here);
const MOST_BYTES = 1_000_000;

const result = await build({
  entryPoints: [new URL("src/main.ts", here).pathname],
  absWorkingDir: here.pathname,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  loader: { ".css": "text" },
  write: false,
});
const script = result.outputFiles[0].text.trimEnd();
const template = await readFile(new URL("src/page.html", here), "utf8");
const notices = await Promise.all(
  ["three", "uplot"].map(async (name) => {
    const text = await readFile(new URL(`node_modules/${name}/LICENSE`, here), "utf8");
    return `${name}\n\n${text.trim()}`;
  }),
);
if (notices.some((notice) => notice.includes("--"))) throw new Error("a notice would end the comment that holds it");
const page = template.replace("NOTICES", () => notices.join("\n\n")).replace("SCRIPT", () => script);
if (script.includes("</script")) throw new Error("the bundle holds a closing script tag");
const size = Buffer.byteLength(page);
if (size > MOST_BYTES) throw new Error(`the page has ${size} bytes, at most ${MOST_BYTES} are allowed`);
if (process.argv.includes("--check")) {
  const there = await readFile(target, "utf8");
  if (there !== page) throw new Error("crates/view/assets/page.html is not what viewer/ builds: run `npm run build` there");
  console.log(`page: ${size} bytes, as committed`);
} else {
  await writeFile(target, page);
  console.log(`page: ${size} bytes`);
}
