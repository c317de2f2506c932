// After `npm ci`, before a package is packed, and in a clone of Pi's: makes the entry that Pi loads. Where only runtime dependencies are, as
// after Pi's own install of a git source, nothing can be bundled, and the entry leads to the source: Node leaves its types out itself.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);

if (existsSync(new URL("node_modules/vite", root))) {
  const { build } = await import("vite");
  await build({ root: fileURLToPath(root), logLevel: "warn" });
} else {
  mkdirSync(new URL("dist/pi/", root), { recursive: true });
  writeFileSync(new URL("dist/pi/palimpsest.js", root), 'export { default } from "../../src/hosts/pi/extension.ts";\n');
}
