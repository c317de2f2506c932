// Access logs of web servers: how many by status, method and path; refused and failed requests, the slowest and the rare ones as they stand.
import { estimate } from "../../tokens/index.ts";
import type { Document, Piece, Proposal } from "../document.ts";
import { isErrorLine } from "../errors.ts";
import type { Line } from "../normalise.ts";
import { type Access, accessLine } from "./access-line.ts";

/** Lines by which such a log is recognized, and the fewest. */
const SNIFFED = 30;
const FEWEST = 5;
/** Of the whole budget, for the counts by path. */
const FOR_PATHS = 0.25;
/** Line numbers named beside the first of several that are alike; lines shown for their time, for their size, and for being rare. */
const NAMED = 8;
const SLOWEST = 3;
const LARGEST = 1;
const RAREST = 5;
/** A status or method of at most this many requests is rare; from this many requests on there is a rule to be an exception of. */
const RARE = 3;
const ENOUGH = 50;
/** Distinct paths that are counted apart. */
const PATHS = 5000;

/** Requests that are alike. */
interface Group {
  readonly first: number;
  count: number;
  readonly more: number[];
  last: number;
  readonly status: number;
}

/** What was counted over all requests. */
interface Counts {
  requests: number;
  readonly status: Map<string, Group>;
  readonly method: Map<string, Group>;
  readonly path: Map<string, { count: number; failed: number }>;
  readonly failures: Map<string, Group>;
  readonly addresses: Set<string>;
  readonly slowest: [number, number][];
  readonly largest: [number, number][];
  readonly others: number[];
}

export function access(document: Document): Proposal | undefined {
  const { lines, budget, status } = document;
  if (!isAccessLog(lines)) return undefined;
  const counts = counted(lines);
  if (counts.others.length * 4 > lines.length) return undefined;
  const failures = ranked([...counts.failures.values()]);
  const strange = counts.others.filter((at) => isErrorLine((lines[at] as Line).text, status === "error"));
  const required: Piece[] = [
    { at: 0, made: overview(counts) },
    ...strange.map((at) => ({ at, what: "distinct errors" })),
    ...failures.map((group) => ({ at: group.first, what: "distinct failed requests", ...noteOf(group) })),
  ];
  const preferred: Piece[] = [
    ...extreme(counts.slowest, "the slowest"),
    ...rare(counts),
    ...extreme(counts.largest, "the largest answer"),
    { at: 0, made: pathsText(counts.path, budget * FOR_PATHS) },
    ...counts.others.slice(0, RAREST).map((at) => ({ at })),
  ];
  return { kind: "access log", required, preferred, share: 1, ends: true, fill: false, holds: ["path", "value"] };
}

function isAccessLog(lines: readonly Line[]): boolean {
  const sample = lines.length <= SNIFFED * 2 ? lines : [...lines.slice(0, SNIFFED), ...lines.slice(-SNIFFED)];
  const found = sample.filter(({ text }) => accessLine(text) !== undefined).length;
  return found >= FEWEST && found * 5 >= sample.length * 4;
}

function counted(lines: readonly Line[]): Counts {
  const counts: Counts = {
    requests: 0,
    status: new Map(),
    method: new Map(),
    path: new Map(),
    failures: new Map(),
    addresses: new Set(),
    slowest: [],
    largest: [],
    others: [],
  };
  const shapes = new Map<string, string>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const request = accessLine(line.text);
    if (request) count(counts, request, line, at, shapes);
    else if (line.text.trim() !== "") counts.others.push(at);
  }
  return counts;
}

function count(counts: Counts, request: Access, line: Line, at: number, shapes: Map<string, string>): void {
  const { status, method, path, address, time, bytes } = request;
  const times = line.last - line.number + 1;
  counts.requests += times;
  addTo(counts.status, String(status), status, line, at, times);
  addTo(counts.method, method, status, line, at, times);
  if (address !== "" && counts.addresses.size < PATHS) counts.addresses.add(address);
  const shape = shapeOf(path, shapes);
  const counter = counts.path.get(shape);
  if (counter) {
    counter.count += times;
    if (status >= 400) counter.failed += times;
  } else if (counts.path.size < PATHS) counts.path.set(shape, { count: times, failed: status >= 400 ? times : 0 });
  if (status >= 400) addTo(counts.failures, `${status} ${method} ${shape}`, status, line, at, times);
  keepLargest(counts.slowest, time, at, SLOWEST);
  keepLargest(counts.largest, bytes, at, LARGEST);
}

function addTo(groups: Map<string, Group>, key: string, status: number, { number, last }: Line, at: number, times: number): void {
  const group = groups.get(key);
  if (!group) {
    groups.set(key, { first: at, count: times, more: [], last, status });
    return;
  }
  group.count += times;
  group.last = last;
  if (group.more.length < NAMED) group.more.push(number);
}

/** A path whose numbers and ids are any. */
function shapeOf(path: string, shapes: Map<string, string>): string {
  const known = shapes.get(path);
  if (known !== undefined) return known;
  const shape = path
    .slice(0, 200)
    .split("/")
    .map((segment) => (/^\d+$|^[0-9a-f-]{16,}$|^(?=.{6,})[0-9a-f]*\d[0-9a-f]*$/i.test(segment) ? "<*>" : segment))
    .join("/");
  if (shapes.size < PATHS) shapes.set(path, shape);
  return shape;
}

/** Keeps the few largest values with their lines, largest first, the earlier before the later. */
function keepLargest(kept: [number, number][], value: number, at: number, most: number): void {
  if (Number.isNaN(value) || value <= 0) return;
  if (kept.length === most && value <= (kept[most - 1] as [number, number])[0]) return;
  let place = kept.length;
  while (place > 0 && value > (kept[place - 1] as [number, number])[0]) place -= 1;
  kept.splice(place, 0, [value, at]);
  if (kept.length > most) kept.pop();
}

function overview({ requests, status, method, addresses }: Counts): string {
  const from = addresses.size > 0 ? ` from ${addresses.size}${addresses.size >= PATHS ? " or more" : ""} addresses` : "";
  const byStatus = [...status].sort((a, b) => a[0].localeCompare(b[0], "en")).map(([code, group]) => `${code} ${group.count}×`);
  const byMethod = [...method].sort((a, b) => b[1].count - a[1].count).map(([name, group]) => `${name} ${group.count}×`);
  return `${requests} requests${from}\nstatus: ${byStatus.join(", ")}\nmethods: ${byMethod.join(", ")}`;
}

/** The paths that come most, as many as fit, and how many more there are. */
function pathsText(paths: Counts["path"], budget: number): string {
  const sorted = [...paths].sort((a, b) => b[1].count - a[1].count);
  const lines: string[] = [];
  let spent = 0;
  for (const [path, { count: times, failed }] of sorted) {
    const text = `${path} ${times}×${failed > 0 ? ` (${failed} failed)` : ""}`;
    spent += estimate(text) + 2;
    if (spent > budget) break;
    lines.push(text);
  }
  const left = sorted.length - lines.length;
  const more = left > 0 ? [`and ${left}${paths.size >= PATHS ? " or more" : ""} more paths`] : [];
  return `paths:\n${[...lines, ...more].join("\n")}`;
}

function noteOf({ count: times, more, last }: Group): { readonly note?: string } {
  if (more.length === 0) return {};
  return { note: `${times} requests like this, also line ${more.join(", ")}${more.length < NAMED ? "" : ` … ${last}`}` };
}

function extreme(kept: readonly (readonly [number, number])[], what: string): readonly Piece[] {
  return kept.map(([, at], place) => ({ at, ...(place === 0 && { note: what }) }));
}

/** One of each status first; then the server's failures before the refusals, those that come often before the others. */
function ranked(failures: readonly Group[]): readonly Group[] {
  const seen = new Set<number>();
  const rank = new Map<Group, number>();
  for (const group of failures) {
    rank.set(group, !seen.has(group.status) ? 0 : group.status >= 500 ? 1 : 2);
    seen.add(group.status);
  }
  return failures.toSorted((a, b) => (rank.get(a) as number) - (rank.get(b) as number) || b.count - a.count || a.first - b.first);
}

/** The first request of each status and method that hardly comes. */
function rare({ requests, status, method }: Counts): readonly Piece[] {
  if (requests < ENOUGH) return [];
  const groups = [...status.values(), ...method.values()].filter((group) => group.count <= RARE);
  return groups.slice(0, RAREST).map(({ first }) => ({ at: first, note: "a rare one" }));
}
