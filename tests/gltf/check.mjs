// Checks glTF files: `node check.mjs FILE…`. Errors and warnings of the validator fail, as does a file without an
// animation.
import { readFileSync } from "node:fs";
import { validateBytes } from "gltf-validator";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node check.mjs FILE…");
  process.exit(2);
}
let failed = false;
for (const file of files) {
  const report = await validateBytes(new Uint8Array(readFileSync(file)), { uri: file, maxIssues: 20 });
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  const { animationCount, totalVertexCount, hasSkins } = report.info;
  const bad = numErrors + numWarnings > 0 || animationCount === 0;
  console.log(
    `${bad ? "FAIL" : "ok  "} ${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ` +
      `${animationCount} animation, ${totalVertexCount} vertices, skins: ${hasSkins}`,
  );
  for (const message of messages) {
    console.log(`     ${message.code} ${message.pointer ?? ""}: ${message.message}`);
  }
  failed ||= bad;
}
process.exit(failed ? 1 : 0);
