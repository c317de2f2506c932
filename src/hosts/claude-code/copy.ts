// Writes a condensed copy of a Claude Code session: the same records with stubs in their results, and the originals beside it.
import { randomUUID } from "node:crypto";
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  CopyError,
  type CopyOptions,
  type CopyPlan,
  type CopyReport,
  type CopySource,
  checkCopy,
  checkedSource,
  checkPlace,
  copyTokens,
  DraftFile,
  type Expected,
  expectedItems,
  explainedFault,
  notVerified,
  putInPlace,
} from "../../condense/index.ts";
import { ORIGINALS_FILE, openSession, type RawRecord, scanFile, syncFolder } from "../../formats/index.ts";
import { besideOf, OriginalsWriter, resultBlock } from "./originals.ts";
import { spanAt, spliced } from "./span.ts";
import { type Stubbing, stubbing, stubContent } from "./stubs.ts";

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
  const stubs = stubbing(plan, source.session, path);
  for (const each of [path, join(folder, id)]) checkPlace(each);
  if (options.dryRun || stubs.records.size === 0) return report({ path, id, plan, stubs, files: [], counts: counted(source.path, size), checked: undefined });
  const draft = join(folder, `.${id}.${process.pid}.tmp`);
  let begun = false;
  try {
    mkdirSync(draft, { mode: 0o700 });
    begun = true;
    const counts = writeRecords({ source: source.path, size, draft, id, stubs });
    const files = copyBeside(source.path, draft, id);
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
    begun = false;
    syncFolder(path);
    return report({ path, id, plan, stubs, files: files.map((each) => join(folder, each)), counts, checked });
  } catch (error) {
    throw explainedFault(path, error);
  } finally {
    if (begun) rmSync(draft, { recursive: true, force: true });
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function target({ path, session }: CopySource, wanted: string | undefined): { readonly folder: string; readonly id: string } {
  if (wanted === undefined) {
    const folder = dirname(resolve(path));
    if (basename(dirname(folder)) === "projects") return { folder, id: randomUUID() };
    const home = `~/.claude/projects/${(session.identity.cwd ?? process.cwd()).replace(/[^A-Za-z0-9]/g, "-")}`;
    throw new CopyError(
      "copy-needs-path",
      `${path}: expected a session in a projects folder of Claude Code, found one elsewhere, where \`claude --resume\` does not look. Name the folder for the copy, such as ${home}.`,
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

interface Counts {
  damaged: number;
  parted: number;
}

function counted(source: string, size: number): Counts {
  return walk(
    source,
    size,
    () => {},
    () => {},
  );
}

function walk(source: string, size: number, take: (record: RawRecord) => void, damage: Parameters<typeof scanFile>[2]["damage"]): Counts {
  const counts: Counts = { damaged: 0, parted: 0 };
  let line = 0;
  scanFile(source, size, {
    record: (record) => {
      if (record.range.line === line) counts.parted += 1;
      line = record.range.line;
      take(record);
    },
    damage: (piece) => {
      counts.damaged += 1;
      damage(piece);
    },
  });
  return counts;
}

interface Writing {
  /** The session file that is copied, and how much of it. */
  readonly source: string;
  readonly size: number;
  /** The folder that holds the copy while it is written. */
  readonly draft: string;
  readonly id: string;
  readonly stubs: Stubbing;
}

/** The session file and the originals beside it. */
function writeRecords({ source, size, draft, id, stubs }: Writing): Counts {
  const originalsPath = join(draft, id, ORIGINALS_FILE);
  mkdirSync(dirname(originalsPath), { recursive: true, mode: 0o700 });
  const session = new DraftFile(join(draft, `${id}.jsonl`));
  try {
    const originals = new OriginalsWriter(new DraftFile(originalsPath));
    try {
      originals.takeOver(source);
      const counts = walk(
        source,
        size,
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
function copyBeside(source: string, draft: string, id: string): string[] {
  const from = besideOf(source);
  if (!lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return [];
  const copied: string[] = [];
  for (const below of filesBelow(from)) {
    const to = join(draft, id, below);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    if (below.endsWith(".jsonl")) copySubagent(join(from, below), to, id);
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

function copySubagent(from: string, to: string, id: string): void {
  const file = new DraftFile(to);
  try {
    walk(
      from,
      statSync(from).size,
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
    const checked = checkCopy(expectedItems(plan.before, expectedOf(stubs)), source.session, copy.session);
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
  readonly plan: CopyPlan;
  readonly stubs: Stubbing;
  readonly counts: Counts;
  /** Undefined where nothing was written. */
  readonly checked: number | undefined;
}

function report({ path, id, files, plan, stubs, counts, checked }: Reported): CopyReport {
  return Object.freeze({
    format: "claude-code",
    path,
    id,
    resume: `claude --resume ${id}`,
    written: checked !== undefined,
    results: stubs.shown.size,
    calls: 0,
    messages: 0,
    tokens: copyTokens(plan.before, expectedOf(stubs)),
    left: stubs.left,
    note: stubs.ref ?? null,
    ...counts,
    files: checked === undefined ? [] : [join(dirname(path), id, ORIGINALS_FILE), ...files],
    checked: checked ?? 0,
  });
}
