// One line of a web server's access log, in the common and combined formats, nginx's with times, or as a JSON record.

export interface Access {
  readonly address: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  /** What the line says of the answer's size; NaN where it does not. */
  readonly bytes: number;
  /** What the line says of the time it took, in its own unit; NaN where it does not. */
  readonly time: number;
}

/** Looked at of a line. */
const LOOKED_AT = 2000;
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND|PURGE)$/;
/** How nginx formats name the time of a request. */
const NAMED_TIME = /\b(?:rt|request_time|urt|duration|took|latency)[=:]"?(\d{1,9}(?:\.\d{1,9})?)/;

/** The parts of an access log's line; `undefined` where it is none. */
export function accessLine(whole: string): Access | undefined {
  const text = whole.length > LOOKED_AT ? whole.slice(0, LOOKED_AT) : whole;
  return text.charCodeAt(0) === 123 ? structured(text) : combined(text);
}

/** `ADDRESS IDENT USER [TIME] "METHOD PATH PROTOCOL" STATUS BYTES …` */
function combined(text: string): Access | undefined {
  const bracket = text.indexOf("[");
  if (bracket < 0 || bracket > 200) return undefined;
  const open = text.indexOf('] "', bracket);
  if (open < 0) return undefined;
  const close = text.indexOf('" ', open + 3);
  if (close < 0) return undefined;
  const status = numberAt(text, close + 2);
  if (!(status >= 100 && status < 600)) return undefined;
  const blank = text.indexOf(" ", open + 3);
  const method = text.slice(open + 3, Math.min(blank < 0 ? close : blank, close));
  const known = METHOD.test(method);
  // What is no request at all (a handshake on the wrong port) has no method and no path.
  const pathEnd = known ? endOfPath(text, blank + 1, close) : close;
  const bytes = numberAt(text, text.indexOf(" ", close + 2) + 1);
  return {
    address: text.slice(0, Math.max(0, text.indexOf(" "))),
    method: known ? method : "none",
    path: known ? text.slice(blank + 1, pathEnd) : text.slice(open + 3, pathEnd),
    status,
    bytes,
    time: timeOf(text, close),
  };
}

function endOfPath(text: string, from: number, close: number): number {
  for (let at = from; at < close; at++) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 63) return at;
  }
  return close;
}

/** The whole number at a place, up to a blank or the end; NaN where there is none. */
function numberAt(text: string, from: number): number {
  let at = from;
  let value = 0;
  for (; at < text.length && at - from < 15; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) break;
    value = value * 10 + (code - 48);
  }
  return at > from && (at === text.length || text.charCodeAt(at) === 32) ? value : Number.NaN;
}

/** A named time, or a number with a fraction that ends the line. */
function timeOf(text: string, from: number): number {
  if (text.includes("=", from)) {
    const named = NAMED_TIME.exec(text.slice(from));
    if (named) return Number(named[1]);
  }
  if (!/\d$/.test(text.slice(-1))) return Number.NaN;
  const last = text.slice(text.lastIndexOf(" ") + 1);
  return /^\d{1,9}\.\d{1,9}$/.test(last) ? Number(last) : Number.NaN;
}

const STATUS_KEYS = ["status", "status_code", "statusCode", "code"];
const PATH_KEYS = ["path", "uri", "url", "request_uri", "request_path", "originalUrl"];
const TIME_KEYS = ["duration", "duration_ms", "request_time", "response_time", "responseTime", "latency", "elapsed", "took"];
const BYTES_KEYS = ["bytes", "size", "body_bytes_sent", "bytes_sent", "content_length"];
const ADDRESS_KEYS = ["remote_addr", "remote_ip", "client_ip", "ip", "clientip", "host"];

/** A record with a status and a path, by itself or below `req` and `res`. */
function structured(text: string): Access | undefined {
  if (!text.includes('"method"') && !text.includes('"request"')) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  const own = fields(record);
  const all = { ...fields(own.httpRequest), ...fields(own.response), ...fields(own.request), ...fields(own.res), ...fields(own.req), ...own };
  const status = Number(word(first(all, STATUS_KEYS)));
  const [method, requested] = typeof all.method === "string" ? [all.method, undefined] : word(all.request).split(" ", 2);
  const path = first(all, PATH_KEYS) ?? requested;
  if (!(status >= 100 && status < 600) || typeof path !== "string" || !METHOD.test(method ?? "")) return undefined;
  return {
    address: word(first(all, ADDRESS_KEYS)),
    method: method as string,
    path: path.split("?", 1)[0] as string,
    status,
    bytes: Number(word(first(all, BYTES_KEYS)) || Number.NaN),
    time: Number.parseFloat(word(first(all, TIME_KEYS))),
  };
}

/** A text or a number as text; empty for anything else. */
function word(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function first(record: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  for (const key of keys) if (record[key] !== undefined) return record[key];
  return undefined;
}
