// Writes a condensed copy of a Claude Code session: the same records with stubs in their results, and the originals beside it.
import { randomUUID } from "node:crypto";
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { CondensePolicy } from "../../config/index.ts";
import {
  CopyError,
  type CopyOptions,
  type CopyPlan,
  type CopyReport,
  type CopySource,
  checkedSource,
  checkingCopy,
  checkPlace,
  copyTokens,
  DraftFile,
  type Expected,
  expectedItems,
  explainedFault,
  notVerified,
  putInPlace,
} from "../../copies/index.ts";
import { heldDraft, ORIGINALS_FILE, openSession, type RawRecord, scanFile, syncFolder } from "../../formats/index.ts";
import { type Bytes, type Entry, isHiding, isOnPath, isShowable, type Place, pathTo, type Session, withPauses } from "../../session/index.ts";
import { besideOf, OriginalsWriter, resultBlock } from "./originals.ts";
import { spanAt, spliced } from "./span.ts";
import { type Stubbing, stubbing, stubContent } from "./stubs.ts";

/** The policy of a copy: without what no record of Claude Code can show. */
export function copyPolicy(policy: CondensePolicy): CondensePolicy {
  const { chains, failedCalls } = policy;
  return {
    ...policy,
    chains: { ...chains, fold: false },
    arguments: { ...policy.arguments, over: null },
    failedCalls: { ...failedCalls, enabled: false },
    dropThinking: false,
  };
}

/**
 * Writes a copy that `claude --resume` opens, in the projects folder of its source unless `options.path` names a folder, or a file by a uuid.
 * File and folder come under temporary names, are read back and compared, and only then get their own. The source is only read, and the copy needs it no more.
 *
 * ```ts
 * const report = await writeCopy(copyPlan(condensed), opened);
 * ```
 * @throws CopyError, and then nothing is left behind
 */
export async function writeCopy(plan: CopyPlan, source: CopySource, options: CopyOptions = {}): Promise<CopyReport> {
  const size = checkedSource(source, "claude-code");
  const { folder, id } = target(source, options.path);
  const path = join(folder, `${id}.jsonl`);
  const part = { size, end: endOf(plan, source, size) };
  const stubs = stubbing(plan, source.session, path);
  for (const each of [path, join(folder, id)]) checkPlace(each);
  if (options.dryRun || stubs.records.size === 0)
    return report({ source, path, id, plan, stubs, files: [], counts: await counted(source.path, part), checked: undefined });
  const draft = join(folder, `.${id}.${process.pid}.tmp`);
  let removeDraft: (() => void) | undefined;
  try {
    mkdirSync(draft, { mode: 0o700 });
    removeDraft = heldDraft(draft);
    const counts = await writeRecords({ source: source.path, part, draft, id, stubs });
    const files = await copyBeside(source.path, draft, id);
    const checked = await verified(join(draft, `${id}.jsonl`), plan, source, stubs);
    // The folder goes first: at no time does the session stand there without its originals.
    renameSync(join(draft, id), join(folder, id));
    try {
      putInPlace(join(draft, `${id}.jsonl`), path);
    } catch (error) {
      rmSync(join(folder, id), { recursive: true, force: true });
      throw error;
    }
    rmdirSync(draft);
    syncFolder(path);
    return report({ source, path, id, plan, stubs, files: files.map((each) => join(folder, each)), counts, checked });
  } catch (error) {
    throw explainedFault(path, error);
  } finally {
    removeDraft?.();
  }
}

/** What a copy ends with that is no whole one: where its path ends, markers apart, which nobody was sent. */
function cutBehind({ head }: CopyPlan, { session }: CopySource): Place | undefined {
  let at = head === session.head ? null : head;
  while (at?.entry.data.kind === "marker") at = at.parent;
  return at ?? undefined;
}

/**
 * Where the copy ends in the source: behind the last record of its path, as what stands there is what Claude Code goes on from.
 * @throws CopyError where that record, or another one of its response, says more than the path does
 */
function endOf(plan: CopyPlan, source: CopySource, size: Bytes): Bytes {
  const head = cutBehind(plan, source);
  if (!head) return size;
  const file = (head.entry.records ?? []).at(-1)?.source;
  const inFile = ({ entry: { records = [] } }: Place) => records.filter((range) => range.source === file);
  const end = pathTo(head)
    .flatMap(inFile)
    .reduce((last, range) => Math.max(last, range.end), 0);
  const counts = ({ data, side }: Entry) => !side && (isShowable(data) || isHiding(data));
  const more = [...source.session.entries()].findLast(
    (place) => place.depth > head.depth && counts(place.entry) && isOnPath(head, place) && inFile(place).some(({ start }) => start < end),
  );
  if (!more && !head.entry.side) return end;
  throw new CopyError(
    "copy-bad-end",
    `${source.path}: expected an entry that a session of Claude Code can end with, found ${head.entry.id}, ${more ? `behind which ${more.entry.id} belongs to the same response or record. Name that one, or one before the response` : "on a side chain. Name one of the conversation"}.`,
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function target({ path, session }: CopySource, wanted: string | undefined): { readonly folder: string; readonly id: string } {
  if (wanted === undefined) {
    const folder = dirname(resolve(path));
    if (basename(dirname(folder)) === "projects") return { folder, id: randomUUID() };
    throw new CopyError(
      "copy-needs-path",
      `${path}: expected a session in a projects folder of Claude Code, found one elsewhere, where \`claude --resume\` does not look. Name the folder for the copy, such as ${projectFolder(session)}.`,
    );
  }
  if (wanted !== "" && (/[\\/]$/.test(wanted) || statSync(wanted, { throwIfNoEntry: false })?.isDirectory()))
    return { folder: resolve(wanted), id: randomUUID() };
  const id = basename(wanted, ".jsonl");
  if (wanted.endsWith(".jsonl") && UUID.test(id)) return { folder: dirname(resolve(wanted)), id };
  throw new CopyError(
    "copy-bad-path",
    `expected a folder for the copy, or a file named UUID.jsonl, found ${JSON.stringify(wanted)}. Claude Code knows a session by its file's name.`,
  );
}

/** Where Claude Code keeps the sessions of a session's project. */
function projectFolder({ identity: { cwd } }: Session): string {
  return `${process.env.CLAUDE_CONFIG_DIR || "~/.claude"}/projects/${(cwd ?? process.cwd()).replace(/[^A-Za-z0-9]/g, "-")}`;
}

/** Of longer names Claude Code keeps this much, with a hash behind it. */
const WHOLE_NAME = 200;

/** The folder where a copy would be found; undefined where it is. */
function elsewhere(folder: string, { path, session }: CopySource): string | undefined {
  const wanted = projectFolder(session);
  const isProject = basename(dirname(folder)) === "projects";
  if (isProject && (folder === dirname(resolve(path)) || basename(folder).startsWith(basename(wanted).slice(0, WHOLE_NAME)))) return undefined;
  return wanted;
}

interface Counts {
  damaged: number;
  parted: number;
}

function counted(source: string, part: Part): Promise<Counts> {
  return walk(
    source,
    part,
    () => {},
    () => {},
  );
}

/** How much of a file is read, and where the copy ends in it. */
interface Part {
  readonly size: Bytes;
  readonly end: Bytes;
}

async function walk(source: string, { size, end }: Part, take: (record: RawRecord) => void, damage: Parameters<typeof scanFile>[2]["damage"]): Promise<Counts> {
  const counts: Counts = { damaged: 0, parted: 0 };
  let line = 0;
  await scanFile(source, size, {
    record: (record) => {
      if (record.range.start >= end) return;
      if (record.range.line === line) counts.parted += 1;
      line = record.range.line;
      take(record);
    },
    damage: (piece) => {
      if (piece.start >= end) return;
      counts.damaged += 1;
      damage(piece);
    },
  });
  return counts;
}

interface Writing {
  /** The session file that is copied, and how much of it. */
  readonly source: string;
  readonly part: Part;
  /** The folder that holds the copy while it is written. */
  readonly draft: string;
  readonly id: string;
  readonly stubs: Stubbing;
}

/** The session file and the originals beside it. */
async function writeRecords({ source, part, draft, id, stubs }: Writing): Promise<Counts> {
  const originalsPath = join(draft, id, ORIGINALS_FILE);
  mkdirSync(dirname(originalsPath), { recursive: true, mode: 0o700 });
  const session = new DraftFile(join(draft, `${id}.jsonl`));
  try {
    const originals = new OriginalsWriter(new DraftFile(originalsPath));
    try {
      await originals.takeOver(source);
      const counts = await walk(
        source,
        part,
        (record) => session.record(copiedRecord(record, id, stubs, originals)),
        (damage) => session.damage(damage),
      );
      originals.finish(stubs);
      session.finish();
      return counts;
    } finally {
      originals.close();
    }
  } finally {
    session.close();
  }
}

/** A record with the copy's session id, and with stubs where they are planned. */
function copiedRecord({ range, value }: RawRecord, id: string, { records }: Stubbing, originals: OriginalsWriter): Buffer {
  const bytes = Buffer.from(range.source.read(range.start, range.end));
  const edits: Edit[] = idEdits(bytes, id);
  for (const stub of records.get(range.sha256) ?? []) {
    const block = resultBlock(value, stub.order);
    const span = block && spanAt(bytes, ["message", "content", block.index, "content"]);
    if (!span) continue;
    const content = stubContent(stub.blocks, block.content);
    edits.push({ ...span, by: Buffer.from(JSON.stringify(content)) });
    originals.put(stub, block, content, bytes.subarray(span.start, span.end));
  }
  return spliced(bytes, edits);
}

type Edit = Parameters<typeof spliced>[1][number];

function idEdits(bytes: Buffer, id: string): Edit[] {
  const span = spanAt(bytes, ["sessionId"]);
  return span && bytes[span.start] === 0x22 ? [{ ...span, by: Buffer.from(JSON.stringify(id)) }] : [];
}

/** Copies the files in the folder of the source's session, with the copy's session id in those of subagents; gives their paths from the folder above. */
async function copyBeside(source: string, draft: string, id: string): Promise<string[]> {
  const from = besideOf(source);
  if (!lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return [];
  const copied: string[] = [];
  for (const below of filesBelow(from)) {
    const to = join(draft, id, below);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    if (below.endsWith(".jsonl")) await copySubagent(join(from, below), to, id);
    else copyFileSync(join(from, below), to, constants.COPYFILE_EXCL);
    copied.push(join(id, below));
  }
  return copied;
}

/** Paths of the files in a folder, links apart; what was kept there of ours is written anew. */
function filesBelow(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((each) => {
    const path = join(below, each.name);
    if (each.isDirectory()) return path === dirname(ORIGINALS_FILE) ? [] : filesBelow(folder, path);
    return each.isFile() ? [path] : [];
  });
}

async function copySubagent(from: string, to: string, id: string): Promise<void> {
  const file = new DraftFile(to);
  const { size } = statSync(from);
  try {
    await walk(
      from,
      { size, end: size },
      ({ range }) => {
        const bytes = Buffer.from(range.source.read(range.start, range.end));
        file.record(spliced(bytes, idEdits(bytes, id)));
      },
      (damage) => file.damage(damage),
    );
    file.finish();
  } finally {
    file.close();
  }
}

async function verified(draft: string, plan: CopyPlan, source: CopySource, stubs: Stubbing): Promise<number> {
  const copy = await openSession(draft);
  try {
    const end = cutBehind(plan, source);
    const checked = await withPauses(checkingCopy(expectedItems(plan.before, expectedOf(stubs)), source.session, copy.session, end));
    if (typeof checked === "number") return checked;
    throw notVerified(source.path, checked);
  } finally {
    copy.close();
  }
}

function expectedOf({ shown }: Stubbing): Expected {
  return { results: shown, inputs: new Map(), messages: new Map() };
}

interface Reported extends Pick<CopyReport, "path" | "id" | "files"> {
  readonly source: CopySource;
  readonly plan: CopyPlan;
  readonly stubs: Stubbing;
  readonly counts: Counts;
  /** Undefined where nothing was written. */
  readonly checked: number | undefined;
}

function report({ source, path, id, files, plan, stubs, counts, checked }: Reported): CopyReport {
  const place = elsewhere(dirname(path), source);
  return Object.freeze({
    format: "claude-code",
    path,
    id,
    resume: `claude --resume ${id}`,
    ...(place !== undefined && { place }),
    written: checked !== undefined,
    results: stubs.shown.size,
    calls: 0,
    messages: 0,
    ...copyTokens(plan.before, expectedOf(stubs)),
    left: stubs.left,
    note: stubs.ref ?? null,
    ...counts,
    files: checked === undefined ? [] : [join(dirname(path), id, ORIGINALS_FILE), ...files],
    checked: checked ?? 0,
  });
}
