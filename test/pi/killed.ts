// A process of its own that runs Pi in a folder and kills itself right after the N-th entry of the first batch is on disk: `node killed.ts FOLDER N`.
import { join } from "node:path";
import { type SessionEntry, SessionManager } from "@earendil-works/pi-coding-agent";
import { call, pi, SOON, say } from "./harness.ts";

const [folder = "", count = "1"] = process.argv.slice(2);
const manager = SessionManager.create(folder, join(folder, "sessions"));
const inside = manager as unknown as { _appendEntry(entry: SessionEntry): void };
const append = inside._appendEntry.bind(manager);
let written = 0;
inside._appendEntry = (entry) => {
  append(entry);
  if (written > 0 || (entry.type === "custom" && entry.customType === "palimpsest")) written += 1;
  if (written === Number(count)) process.kill(process.pid, "SIGKILL");
};
const { session } = await pi({ answers: [call(0), call(1), call(2), call(3), say("done")], folder, manager: () => manager, policy: SOON });
await session.prompt("go");
