// Checks which room imports which. Usage: node tools/rooms.mjs [ROOT], by default this checkout.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const source = resolve(root, "src");
if (!existsSync(source)) fail(`${source} is not there: say which checkout is meant`);
process.chdir(root);

const { forbidden, options } = (await import(pathToFileURL(resolve(root, ".dependency-cruiser.mjs")).href)).default;
const { output } = await cruise(["src"], { ...options, validate: true, ruleSet: { forbidden }, baseDir: root }, options.enhancedResolveOptions, {
  tsConfig: extractTSConfig(resolve(root, options.tsConfig.fileName)),
});
const { violations } = output.summary;
const read = output.modules.filter(({ source }) => source.startsWith("src/")).length;

for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to} (${forbidden.find(({ name }) => name === rule.name)?.comment})`);
if (violations.length > 0) fail(`${violations.length} ${violations.length === 1 ? "import breaks" : "imports break"} the rules`);
if (read === 0) fail("no file was read: without a TypeScript that it can call, dependency-cruiser sees nothing and finds nothing wrong");
console.log(`rooms: ${read} modules, no import breaks the rules`);

function fail(why) {
  console.error(`rooms: ${why}`);
  process.exit(1);
}
