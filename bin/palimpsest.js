#!/usr/bin/env node
// Starts the command: compiled where it was packed, from source in a checkout; under the pinned Node where this one is too old.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = new URL("../src/cli/main.ts", import.meta.url);
const entry = existsSync(source) ? source : new URL("../dist/cli/main.js", import.meta.url);
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
  await import(entry.href);
} else {
  const pinned = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(pinned)) {
    process.stderr.write(
      `palimpsest needs Node 22.19 or newer; this is Node ${process.versions.node}. Install a newer Node, or run "npm ci" in a checkout, which brings one.\n`,
    );
    process.exit(1);
  }
  const child = spawn(pinned, [fileURLToPath(entry), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}
