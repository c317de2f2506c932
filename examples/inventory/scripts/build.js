// Copies src/ to dist/ with imports checked, and says what it wrote.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

const VERBOSE = process.argv.includes("--verbose");
const sources = new Map();
for (const name of (await readdir("src")).sort()) sources.set(`src/${name}`, await readFile(join("src", name), "utf8"));

const exportsOf = new Map(
  [...sources].map(([path, text]) => [path, [...text.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name)]),
);
const problems = [];
let edges = 0;

for (const [path, text] of sources) {
  for (const [, names, from] of text.matchAll(/^(?:import|export) \{([^}]+)\} from "(\.[^"]+)"/gm)) {
    const target = normalize(join(dirname(path), from));
    edges += 1;
    if (VERBOSE) console.log(`[resolve] ${path} -> ${target} {${names.trim()}}`);
    for (const name of names.split(",").map((each) => each.trim().split(" as ")[0])) {
      if (!exportsOf.get(target)?.includes(name)) problems.push(`${path}: ${target} does not export ${name}`);
    }
  }
}
if (problems.length > 0) {
  for (const problem of problems) console.error(`error: ${problem}`);
  process.exit(1);
}

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
let total = 0;
for (const [path, text] of sources) {
  const stripped = text.replace(/^\/\/ .*\n/, "");
  const target = path.replace("src/", "dist/");
  await writeFile(target, stripped);
  total += stripped.length;
  const hash = createHash("sha256").update(stripped).digest("hex");
  console.log(`[emit] ${target.padEnd(20)} ${String(stripped.length).padStart(6)} bytes  sha256 ${VERBOSE ? hash : hash.slice(0, 12)}`);
  if (VERBOSE) for (const name of exportsOf.get(path)) console.log(`[export] ${target}#${name}`);
}
console.log(`${sources.size} files, ${edges} imports, ${total} bytes`);
