// npm run example:record: drives Pi with a scripted model through a debugging session and writes examples/pi-session.jsonl.
import { readFileSync, writeFileSync } from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
