// palimpsest recall: the original text behind a ref or an id.
import { Command } from "commander";
import type { Page, Recalled } from "../../recall/index.ts";
import { type Block, bodyText, type Place, type Session } from "../../session/index.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { headOf } from "../head.ts";
import { oneOf, wholeNumber } from "../option-values.ts";
import { json, print } from "../output.ts";
import { openNamed } from "../session-input.ts";
import { printable, printableName, thousands } from "../table.ts";

interface Options {
  readonly at?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly unit: "lines" | "bytes";
  readonly search?: string;
  readonly raw?: boolean;
  readonly image?: number;
  readonly latest?: boolean;
  readonly json?: boolean;
}

export function recallCommand(): Command {
  return new Command("recall")
    .summary("the original text behind a ref, to stdout")
    .description("Prints the original behind REF to stdout, and nothing else. Without REF, --search looks through the whole session.")
    .argument("[file]", "a session file, or - for standard input")
    .argument(
      "[ref]",
      "tN (a result), bN (what a block stands for), an entry's id, or a tool-call id (all its results); entry:ID and call:ID say which is meant",
    )
    .option("--latest", "the newest session of this folder's project; then REF is the only argument")
    .option("--at <entry>", "the entry whose branch refs are counted on (default: where the session ends)")
    .option("--offset <n>", "first line (from 1) or byte (from 0) to print; behind the end is an error", wholeNumber("--offset", 0))
    .option("--limit <n>", "how many lines or bytes to print", wholeNumber("--limit", 1))
    .option("--unit <unit>", "what --offset and --limit count: lines or bytes", oneOf("--unit", ["lines", "bytes"]), "lines")
    .option("--search <text>", "only the lines that hold this text literally, with their numbers; where none does, a note on stderr and exit code 0")
    .option("--raw", "the bytes of the record as they stand in the session file")
    .option("--image <n>", "the bytes of the N-th image of the original", wholeNumber("--image", 1))
    .option("--json", "one JSON object")
    .action(run);
}

/** What cannot be asked for together. */
function conflict({ raw, image, search, offset, limit, json }: Options): string | undefined {
  const paged = offset !== undefined || limit !== undefined;
  if (raw && (image !== undefined || search !== undefined || paged || json)) return "--raw gives the whole record: leave out the other options";
  if (image !== undefined && (search !== undefined || paged || json)) return "--image gives one image whole: leave out the other options";
  if (search !== undefined && paged) return "--search gives every line that matches: leave out --offset and --limit";
  return undefined;
}

async function run(first: string | undefined, second: string | undefined, options: Options): Promise<void> {
  const [file, ref] = options.latest ? [undefined, first] : [first, second];
  if (options.latest && second !== undefined) throw new Failure("usage", "expected REF alone beside --latest, found a FILE too: leave one out.", EXIT.usage);
  if (ref === undefined && options.search === undefined && file !== undefined && /^[tb]\d+$/.test(file))
    throw new Failure(
      "usage",
      `expected FILE before REF, found ${file} alone: palimpsest recall FILE ${file}, or palimpsest recall --latest ${file}.`,
      EXIT.usage,
    );
  if (ref === undefined && options.search === undefined)
    throw new Failure("usage", "expected a REF, or --search TEXT to look through the session, found neither.", EXIT.usage);
  if (options.search === "") throw new Failure("usage", "--search: expected a text, found an empty one.", EXIT.usage);
  const problem = conflict(options);
  if (problem) throw new Failure("usage", `${problem}.`, EXIT.usage);
  const { session, close } = await openNamed(file, options);
  try {
    const head = headOf(session, options.at);
    if (ref === undefined) await searchAll(session, head, options);
    else await recallOne(session, ref, head, options);
  } finally {
    close();
  }
}

async function searchAll(session: Session, head: Place | null, options: Options): Promise<void> {
  const { searchSession } = await import("../../recall/index.ts");
  const found = searchSession(session, options.search as string, head);
  if (options.json) return json({ search: options.search, matches: [...found] });
  let count = 0;
  for (const { ref, entry, where, line, text } of found) {
    count += 1;
    print(`${ref ?? printableName(entry)}\t${printableName(where)}\t${line}: ${printable(text)}\n`);
  }
  if (count === 0) process.stderr.write(`nothing holds ${JSON.stringify(options.search)} on this branch\n`);
}

async function recallOne(session: Session, name: string, head: Place | null, options: Options): Promise<void> {
  const { lostFault, recall } = await import("../../recall/index.ts");
  const found = recall(session, name, head);
  if ("kind" in found) {
    const refs = [...(found.results > 0 ? [`t1 to t${found.results}`] : []), ...(found.blocks > 0 ? [`b1 to b${found.blocks}`] : [])];
    throw new Failure(
      "unknown-ref",
      `expected a ref, an entry's id or a tool-call id of this branch, found ${JSON.stringify(name.slice(0, 80))}. Refs here: ${refs.join(", ") || "none"}. Another branch is named with --at ENTRY.`,
      EXIT.input,
    );
  }
  if (options.raw) return raw(found);
  // A stub is no original: where nothing else is left, that is a failure.
  const fault = found.map(lostFault).find((each) => each !== undefined);
  if (fault !== undefined) throw new Failure("originals-missing", fault, EXIT.verification);
  if (options.image !== undefined) return image(found, options.image);
  const { originalText } = await import("../../recall/index.ts");
  const texts = found.map(originalText);
  if (options.json) {
    const { matches } = await import("../../recall/index.ts");
    const { search } = options;
    if (search !== undefined)
      return json({ ref: name, search, found: found.map((each, index) => ({ ...identified(each), matches: [...matches(texts[index] as string, search)] })) });
    const pages = await Promise.all(texts.map((text) => pageOf(text, options)));
    const refusals = pages.map((page) => beyondEnd(page, options));
    for (const refusal of refusals) if (refusal && refusals.every((each) => each !== undefined)) throw refusal;
    return json({
      ref: name,
      found: found.map((each, index) => ({
        ...described(each, pages[index]?.text ?? ""),
        ...(pages[index]?.unit && { page: { ...pages[index], text: undefined } }),
      })),
    });
  }
  const text = texts.join("\n");
  if (options.search !== undefined) {
    const { matches } = await import("../../recall/index.ts");
    const lines = [...matches(text, options.search)];
    for (const match of lines) print(`${match.line}: ${match.text}\n`);
    if (lines.length === 0) process.stderr.write(`no line of ${name} holds ${JSON.stringify(options.search)}\n`);
    return;
  }
  await printPage(text, options);
}

function identified(recalled: Recalled): object {
  const { kind, place } = recalled;
  return { kind, entry: place.entry.id, ...("ref" in recalled && { ref: recalled.ref }) };
}

function described(recalled: Recalled, text: string): object {
  const { place } = recalled;
  const common = {
    kind: recalled.kind,
    entry: place.entry.id,
    text,
    records: (place.entry.records ?? []).map(({ source, line, start, end, sha256 }) => ({ file: source.name, line, start, end, sha256 })),
  };
  if (recalled.kind === "result")
    return {
      ...common,
      ref: recalled.ref,
      call: recalled.call?.entry.id ?? null,
      stoodIn: recalled.stood.map((each) => each.place.entry.id),
      images: recalled.blocks.filter((block) => block.type === "image").length,
    };
  if (recalled.kind === "block") return { ...common, ref: recalled.ref, entries: recalled.covers.length, refs: recalled.refs, blocks: recalled.blockRefs };
  return common;
}

/** The part of a text that was asked for; all of it without a unit where none was. */
async function pageOf(text: string, { offset, limit, unit }: Options): Promise<Page | { readonly text: string; readonly unit?: undefined }> {
  if (offset === undefined && limit === undefined) return { text };
  const { pageOfBytes, pageOfLines } = await import("../../recall/index.ts");
  return unit === "bytes"
    ? pageOfBytes(text, offset ?? 0, limit ?? text.length * 3)
    : pageOfLines(text, Math.max(1, offset ?? 1), limit ?? Number.MAX_SAFE_INTEGER);
}

/** Right behind the end stands nothing, which is what whoever reads on from there looks for; further on is a mistake. */
function beyondEnd(page: Page | { readonly unit?: undefined }, { offset = 0 }: Options): Failure | undefined {
  if (!page.unit) return undefined;
  const { unit, total } = page;
  if (offset <= (unit === "lines" ? total + 1 : total)) return undefined;
  return new Failure("beyond-end", `--offset: expected at most ${total}, as the original has ${thousands(total)} ${unit}, found ${offset}.`, EXIT.input);
}

async function printPage(text: string, options: Options): Promise<void> {
  const page = await pageOf(text, options);
  const refusal = beyondEnd(page, options);
  if (refusal) throw refusal;
  print(page.text);
  if (!page.unit) return;
  const { unit, offset, total, next } = page;
  if (page.text === "" && total > 0) process.stderr.write(`nothing there: the original has ${thousands(total)} ${unit}\n`);
  else process.stderr.write(`${unit} from ${offset} of ${total}${next === undefined ? ", the end" : `; next: --offset ${next}`}\n`);
}

function raw(found: readonly Recalled[]): void {
  const records = new Map(found.flatMap(({ place }) => (place.entry.records ?? []).map((range) => [`${range.source.name}:${range.start}`, range] as const)));
  if (records.size === 0)
    throw new Failure("no-record", "expected an entry that was read from a record, found one that palimpsest made: leave out --raw.", EXIT.input);
  for (const { source, start, end } of records.values()) {
    process.stdout.write(source.read(start, end));
    process.stdout.write("\n");
  }
}

async function image(found: readonly Recalled[], number: number): Promise<void> {
  const images = found.flatMap(({ blocks }) => blocks.filter((block): block is Extract<Block, { type: "image" }> => block.type === "image"));
  const wanted = images[number - 1];
  if (!wanted) throw new Failure("no-image", `expected the number of an image of this original, from 1, found ${number}. It has ${images.length}.`, EXIT.input);
  const data = bodyText(wanted.data);
  process.stdout.write(/^[a-z]+:/i.test(data) && !data.startsWith("data:") ? `${data}\n` : Buffer.from(data.replace(/^data:[^,]*,/, ""), "base64"));
}
