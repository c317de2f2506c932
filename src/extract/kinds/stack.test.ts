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

function trace(lines: readonly string[], budget = 360): string {
  const extracted = extract({ tool: "bash", args: { command: "node src/main.js" }, text: lines.join("\n"), status: "error" }, { budget });
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

  const noise = Array.from({ length: 30 }, (_, at) => `closing connection ${at} of the pool that was opened before`);

  test("of Python in a chain: each error and what leads from one to the next", () => {
    const lines = [
      "Traceback (most recent call last):",
      '  File "/code/app/store.py", line 40, in load',
      "    return self.rows[key]",
      "           ~~~~~~~~~^^^^^",
      "KeyError: 8812",
      "",
      "During handling of the above exception, another exception occurred:",
      "",
      "Traceback (most recent call last):",
      '  File "/code/app/main.py", line 12, in <module>',
      "    run()",
      '  File "/usr/lib/python3.12/asyncio/runners.py", line 194, in run',
      "    return runner.run(main)",
      '  File "/code/app/api.py", line 7, in get',
      "    raise ApiError(key)",
      "app.errors.ApiError: no record 8812",
    ];
    const text = trace([...lines, ...noise]);
    for (const at of [2, 3, 5, 7, 10, 14, 16]) expect(text.split("\n")).toContain(`${at}| ${lines[at - 1]}`);
    expect(text).not.toContain('runners.py", line');
  });

  test("of Java: every cause, and what the runtime left out", () => {
    const lines = [
      'Exception in thread "main" java.lang.IllegalStateException: cannot start',
      "\tat com.acme.App.start(App.java:41)",
      "\tat com.acme.App.main(App.java:12)",
      "\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)",
      "Caused by: com.acme.ConfigException: bad port 99999",
      "\tat com.acme.Config.port(Config.java:77)",
      "\tat com.acme.Config.load(Config.java:30)",
      "\t... 2 more",
      'Caused by: java.lang.NumberFormatException: For input string: "99999x"',
      "\tat java.base/java.lang.Integer.parseInt(Integer.java:668)",
      "\tat com.acme.Config.read(Config.java:75)",
      "\t... 4 more",
    ];
    const text = trace([...lines, ...noise], 500);
    for (const at of [1, 2, 3, 5, 6, 7, 8, 9, 11, 12]) expect(text.split("\n")).toContain(`${at}| ${lines[at - 1]}`);
    expect(text).toContain("~ 1 frame left out, of dependencies and the runtime");
  });

  test("of Go: the panic, own frames with their places, other goroutines once", () => {
    const worker = (at: number) => [
      `goroutine ${at + 18} [chan receive, 5 minutes]:`,
      `main.worker(0xc0000${at}000)`,
      "\t/code/app/worker.go:77 +0x45",
      "created by main.main in goroutine 1",
      "\t/code/app/main.go:10 +0x99",
      "",
    ];
    const lines = [
      "panic: runtime error: index out of range [5] with length 3",
      "",
      "goroutine 1 [running]:",
      "main.process(0xc000012345, 0x3)",
      "\t/code/app/process.go:42 +0x1d",
      "net/http.HandlerFunc.ServeHTTP(0x1, {0x2, 0x3})",
      "\t/usr/local/go/src/net/http/server.go:2122 +0x2f",
      "main.main()",
      "\t/code/app/main.go:12 +0x1d",
      "",
      ...Array.from({ length: 12 }, (_, at) => worker(at)).flat(),
      "exit status 2",
    ];
    const text = trace(lines);
    for (const at of [1, 3, 4, 5, 8, 9, 11, 12, 13]) expect(text.split("\n")).toContain(`${at}| ${lines[at - 1]}`);
    expect(text).not.toContain("server.go:2122 +");
    expect(text).toContain("~ 11 more traces are repeats of those shown");
    expect(text.match(/goroutine \d+ \[chan/g)).toHaveLength(1);
  });

  test("of Rust: the panic with its place, own frames with theirs", () => {
    const lines = [
      "thread 'main' panicked at src/table.rs:40:9:",
      "index out of bounds: the len is 3 but the index is 99",
      "stack backtrace:",
      "   0: rust_begin_unwind",
      "             at /rustc/9fc6b4/library/std/src/panicking.rs:665:5",
      "   1: core::panicking::panic_bounds_check",
      "             at /rustc/9fc6b4/library/core/src/panicking.rs:281:5",
      "   2: app::table::pick",
      "             at ./src/table.rs:40:9",
      "   3: app::main",
      "             at ./src/main.rs:4:5",
      "   4: core::ops::function::FnOnce::call_once",
      "             at /rustc/9fc6b4/library/core/src/ops/function.rs:250:5",
    ];
    const text = trace([...lines, ...noise]);
    for (const at of [1, 2, 8, 9, 10, 11]) expect(text.split("\n")).toContain(`${at}| ${lines[at - 1]}`);
    expect(text).toContain("~ 3 frames left out, of dependencies and the runtime");
  });

  test("never shows a frame's second line without its first", () => {
    const lines = [
      "Traceback (most recent call last):",
      ...Array.from({ length: 30 }, (_, at) => [
        `  File "/code/app/a-folder-with-a-very-long-name-number-${at}/store.py", line ${at}, in load_all_the_records`,
        `    go${at}()`,
      ]).flat(),
      "KeyError: 8812",
      ...noise,
    ];
    for (let budget = 40; budget < 200; budget += 7) {
      const shown = extract({ tool: "bash", args: { command: "python x.py" }, text: lines.join("\n"), status: "error" }, { budget }).text;
      for (const match of shown.matchAll(/^(\d+)\| {5}go\d+\(\)$/gm)) expect(shown).toContain(`\n${Number(match[1]) - 1}|   File`);
    }
  });
});
