// Traces: message, own frames, causes; frames of others only counted.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";

const NODE = [
  "starting the server",
  "TypeError: Cannot read properties of undefined (reading 'id')",
  "    at loadUser (/code/app/src/users/load.js:41:17)",
  "    at Layer.handle (/code/app/node_modules/express/lib/router/layer.js:95:5)",
  "    at next (/code/app/node_modules/express/lib/router/route.js:144:13)",
  "    at Route.dispatch (/code/app/node_modules/express/lib/router/route.js:114:3)",
  "    at processParams (/code/app/node_modules/express/lib/router/index.js:346:12)",
  "    at middle (/code/app/src/http/middle.js:12:3)",
  "    at start (/code/app/src/main.js:9:3)",
  "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {",
  "  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432",
  "      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)",
  "      at connect (/code/app/src/store/connect.js:30:11)",
  "}",
  "Node.js v22.19.0",
];

function trace(lines: readonly string[]): string {
  const extracted = extract({ tool: "bash", args: { command: "node src/main.js" }, text: lines.join("\n"), status: "error" }, { budget: 360 });
  expect(extracted.kind).toBe("trace");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("a trace", () => {
  test("keeps the message, the first and the last own frame and the cause", () => {
    const text = trace([...NODE, ...Array.from({ length: 20 }, (_, at) => `shutting down worker ${at} and waiting for it to end`)]);
    for (const at of [2, 3, 9, 11]) expect(text.split("\n")).toContain(`${at}| ${NODE[at - 1]}`);
    expect(text).not.toContain("layer.js:95");
    expect(text).toMatch(/~ \d+ frames left out, \d+ of them of dependencies and the runtime/);
  });

  test("tells a trace that comes again only once", () => {
    const text = trace(Array.from({ length: 6 }, () => NODE.slice(1, 10)).flat());
    expect(text.match(/loadUser/g)).toHaveLength(1);
    expect(text.match(/TypeError/g)).toHaveLength(1);
    expect(text).toContain("~ 5 more traces are repeats of those shown");
  });

  test("of Python: the message below, the own frames with their code", () => {
    const lines = [
      "Traceback (most recent call last):",
      '  File "/code/app/main.py", line 12, in <module>',
      "    run()",
      '  File "/usr/lib/python3.12/asyncio/runners.py", line 194, in run',
      "    return runner.run(main)",
      '  File "/code/app/store/load.py", line 40, in load',
      "    raise ValueError(f'no record {key}')",
      "ValueError: no record 8812",
      ...Array.from({ length: 30 }, (_, at) => `closing connection ${at} of the pool that was opened before`),
    ];
    const text = trace(lines);
    for (const at of [2, 6, 7, 8]) expect(text.split("\n")).toContain(`${at}| ${lines[at - 1]}`);
    expect(text).not.toContain('runners.py", line');
  });
});
