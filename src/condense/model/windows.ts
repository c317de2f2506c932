// Reads a result that is larger than a model's budget in parts, with the bytes counted that the model has really read.
import { readWindows } from "../../coverage/index.ts";
import { extract } from "../../extract/index.ts";
import type { CallOptions, Model } from "../../models/index.ts";
import type { Bytes, Status } from "../../session/index.ts";
import { ask } from "./ask.ts";
import { NOTHING_HERE, windowPrompt } from "./prompts.ts";

/** A result to be read in parts. */
export interface LargeResult {
  readonly tool: string;
  readonly input: string;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  readonly status: Status;
  readonly text: string;
}

/** What was read of a large result. */
export interface Reading {
  /** The notes on its parts, one after the other: shorter than the text. */
  readonly notes: string;
  readonly windows: number;
  readonly bytes: Bytes;
  /** Bytes that the model has given back the proof of having read; the rest is told by extracts. */
  readonly credited: Bytes;
  /** Why windows were not credited, each code once, with what was said to a person where the model could not be asked. */
  readonly reasons: ReadonlyMap<string, string | undefined>;
}

/** Bytes that the notes on one window may take. */
const NOTE_BYTES = 4096;

/**
 * Notes on all of a text, in the order of its windows of at most `windowBytes`. A window that the model did not read or said nothing of is
 * told by its extract, and not credited. Notes that are still longer than `most` bytes are read in windows themselves.
 */
export async function readLarge(model: Model, result: LargeResult, windowBytes: Bytes, most: Bytes, options: CallOptions = {}): Promise<Reading> {
  const bytes = new TextEncoder().encode(result.text);
  const spans = [...readWindows(bytes, windowBytes)];
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const read = await Promise.all(
    spans.map(async ({ start, end }, at) => {
      const text = decoder.decode(bytes.subarray(start, end));
      const note = await noteOf(model, result, text, { part: at + 1, parts: spans.length }, options);
      return { ...note, head: `bytes ${start} to ${end} of ${bytes.length}:`, bytes: end - start };
    }),
  );
  const notes = read.map(({ head, text }) => `${head}\n${text}`).join("\n");
  const reasons = new Map(read.flatMap(({ code, message }) => (code === undefined ? [] : [[code, message] as const])));
  const credited = read.reduce((sum, note) => sum + (note.code === undefined ? note.bytes : 0), 0);
  const reading = { notes, windows: spans.length, bytes: bytes.length, credited, reasons };
  const size = Buffer.byteLength(notes);
  if (size <= most || size >= bytes.length) return reading;
  const again = await readLarge(model, { ...result, text: notes }, windowBytes, most, options);
  return { ...reading, notes: again.notes, windows: reading.windows + again.windows, reasons: new Map([...reasons, ...again.reasons]) };
}

interface Note {
  readonly text: string;
  /** Why the model's note was not used. */
  readonly code?: string;
  readonly message?: string;
}

async function noteOf(
  model: Model,
  result: LargeResult,
  text: string,
  at: { readonly part: number; readonly parts: number },
  options: CallOptions,
): Promise<Note> {
  const prompt = windowPrompt({ tool: result.tool, input: result.input, text, ...at });
  const asked = await ask(
    model,
    prompt,
    (note) => (Buffer.byteLength(note) <= NOTE_BYTES ? [] : [{ code: "larger", text: `it is longer than ${NOTE_BYTES} bytes` }]),
    options,
  );
  const reply = "code" in asked ? undefined : [asked.second, asked.first].find((each) => each?.faults.length === 0);
  if (reply) return { text: reply.text === NOTHING_HERE ? "(nothing of use)" : reply.text };
  const { text: extracted } = extract({ tool: result.tool, args: result.args, text, status: result.status }, { budget: NOTE_BYTES / 4, lines: 1 });
  return { text: extracted, ...("code" in asked ? asked : { code: (asked.second ?? asked.first).faults[0]?.code ?? "failed" }) };
}
