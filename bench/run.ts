// npm run bench [ID...]: all benchmarks, or those named.
import { runAll } from "./harness.ts";
import { b1, b2 } from "./view.bench.ts";

await runAll([b1, b2], process.argv.slice(2));
