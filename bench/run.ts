// npm run bench [ID...]: all benchmarks, or those named.
import { b7 } from "./extract.bench.ts";
import { runAll } from "./harness.ts";
import { b12 } from "./pi.bench.ts";
import { b10 } from "./recall.bench.ts";
import { b3, b4 } from "./replay.bench.ts";
import { b6 } from "./tokens.bench.ts";
import { b1, b2 } from "./view.bench.ts";

await runAll([b1, b2, b3, b4, b6, b7, b10, b12], process.argv.slice(2));
