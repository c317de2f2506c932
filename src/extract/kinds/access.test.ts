// Access logs: counts are exact, refused and failed requests, the slowest and the rare ones stand as they are.
import { describe, expect, test } from "vitest";
import { extract } from "../index.ts";
import { accessLine } from "./access-line.ts";

describe("one request", () => {
  test.each([
    [
      "common",
      '10.0.0.1 - - [12/Mar/2026:09:00:00 +0000] "GET /a/b?x=1 HTTP/1.1" 200 512',
      { address: "10.0.0.1", method: "GET", path: "/a/b", status: 200, bytes: 512, time: Number.NaN },
    ],
    [
      "combined",
      '::1 - anna [12/Mar/2026:09:00:00 +0000] "POST /a HTTP/2.0" 404 - "https://example.org/" "curl/8.1.0"',
      { address: "::1", method: "POST", path: "/a", status: 404, bytes: Number.NaN, time: Number.NaN },
    ],
    ["nginx with a time at the end", '10.0.0.1 - - [12/Mar/2026:09:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "x" 0.412', { status: 200, time: 0.412 }],
    ["nginx with a named time", '10.0.0.1 - - [12/Mar/2026:09:00:00 +0000] "GET /a HTTP/1.1" 502 5 "-" "x" rt=1.5 uct="0.0"', { status: 502, time: 1.5 }],
    ["no request", '10.0.0.1 - - [12/Mar/2026:09:00:00 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"', { method: "none", status: 400 }],
    [
      "JSON",
      '{"method":"GET","url":"/a?b","status":503,"responseTime":12.5,"remote_addr":"10.0.0.1"}',
      { method: "GET", path: "/a", status: 503, time: 12.5, address: "10.0.0.1" },
    ],
    ["JSON in parts", '{"level":30,"req":{"method":"GET","url":"/a"},"res":{"statusCode":200},"responseTime":3}', { path: "/a", status: 200, time: 3 }],
  ])("as %s", (_, line, parts) => expect(accessLine(line)).toMatchObject(parts));

  test.each(["", "a [b] c", "2026-03-12 [main] started", '{"status":200}', '{"method":"GET","path":"/a","status":200', '[x] "GET /a" abc'])("not %j", (line) =>
    expect(accessLine(line)).toBeUndefined(),
  );
});

function line(at: number, request: string, status: number, bytes: number, time = 0.01): string {
  return `10.0.0.${at % 50} - - [12/Mar/2026:09:00:00 +0000] "${request} HTTP/1.1" ${status} ${bytes} "-" "curl/8.1.0" ${time.toFixed(3)}`;
}

const LINES = Array.from({ length: 400 }, (_, at) => line(at, `GET /api/users/${1000 + at}`, 200, 300 + (at % 7)))
  .map((own, at) => (at % 80 === 17 ? line(at, "POST /api/login", 401, 20) : own))
  .with(60, line(60, "POST /api/orders/77", 500, 20))
  .with(61, line(61, "POST /api/orders/78", 500, 20))
  .with(120, line(120, "DELETE /api/users/5", 204, 0))
  .with(200, line(200, "GET /api/report", 200, 40, 31.5))
  .with(300, line(300, "GET /files/big.iso", 200, 9_000_000_000));

function shown(lines: readonly string[], args: object = { command: "cat /var/log/nginx/access.log" }): string {
  const extracted = extract({ tool: "bash", args, text: lines.join("\n"), status: "ok" });
  expect(extracted.kind).toBe("access log");
  expect(extracted.whole).toBe(false);
  return extracted.text;
}

describe("an access log", () => {
  const text = shown(LINES);

  test("counts requests by status, method and path", () => {
    expect(text).toContain("~ 400 requests from 50 addresses\n  status: 200 392×, 204 1×, 401 5×, 500 2×\n  methods: GET 392×, POST 7×, DELETE 1×");
    expect(text).toContain("  /api/users/<*> 391×\n");
    expect(text).toContain("  /api/orders/<*> 2× (2 failed)\n");
  });

  test("shows each kind of refused or failed request with its count", () => {
    expect(text).toContain(`18| ${LINES[17]}\n~ 5 requests like this, also line 98, 178, 258, 338\n`);
    expect(text).toContain(`61| ${LINES[60]}\n~ 2 requests like this, also line 62`);
  });

  test("shows the slowest, the largest and the rare ones", () => {
    expect(text).toContain(`201| ${LINES[200]}\n~ the slowest`);
    expect(text).toContain(`301| ${LINES[300]}\n~ the largest answer`);
    expect(text).toContain(`121| ${LINES[120]}\n~ a rare one`);
  });

  test("of JSON records: the same", () => {
    const records = Array.from({ length: 200 }, (_, at) =>
      JSON.stringify({ method: "GET", path: `/p/${at}`, status: at === 99 ? 503 : 200, duration: at === 42 ? 9000 : 12, remote_addr: "10.0.0.1" }),
    );
    const json = shown(records);
    expect(json).toContain("~ 200 requests from 1 addresses\n  status: 200 199×, 503 1×\n  methods: GET 200×");
    expect(json.split("\n")).toContain(`100| ${records[99]}`);
    expect(json).toContain(`43| ${records[42]}\n~ the slowest`);
  });
});
