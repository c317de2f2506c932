// Asks a model for bullets on results: packed into batches, each answer checked, asked for again once, and used result by result.
import type { CondensePolicy } from "../../config/index.ts";
import type { CallOptions, Model } from "../../models/index.ts";
import { textOf } from "../../recall/index.ts";
import { type Bytes, bodyText, type Tokens } from "../../session/index.ts";
import { estimate } from "../../tokens/index.ts";
import { grouped, saidWith } from "../batches.ts";
import { worthSummarizing } from "../guards.ts";
import { type AnsweredRecord, argumentsOf } from "../ledger.ts";
import { type Answer, type AnswerFault, readAnswer, type Subject } from "./answer.ts";
import { ask, type TextFault } from "./ask.ts";
import { batchPrompt } from "./prompts.ts";
import { type Reading, readLarge } from "./windows.ts";

export type SummaryPolicy = CondensePolicy["summaries"];

/** A result that a model is asked about. */
export interface Asked {
  readonly record: AnsweredRecord;
  /** What the summary without a model says. */
  readonly extract: string;
}

export interface Told {
  /** The bullets on each result that the model's answer may stand for, in the order asked. */
  readonly sections: ReadonlyMap<AnsweredRecord, string>;
  /** Why there are none on the others. A result that succeeded and that the model leaves out is `left-out`. */
  readonly without: ReadonlyMap<AnsweredRecord, string>;
  /** Large results that were read in parts. */
  readonly readings: ReadonlyMap<AnsweredRecord, Reading>;
  /** Codes for which the model could not be asked, and what each says to a person. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Results in one call at most. */
const MOST_RESULTS = 20;
/** Bytes that a token is at least taken for: a window in tokens holds this many bytes. */
const BYTES_PER_TOKEN = 2.5;

/** Asks about results, given in path order. It never throws for what a model does: what it did not tell is in `without`. */
export async function tell(model: Model, asked: readonly Asked[], policy: SummaryPolicy, options: CallOptions = {}): Promise<Told> {
  const input = Math.min(policy.inputTokens, Math.floor((model.window ?? Number.POSITIVE_INFINITY) * 0.6));
  const told = {
    sections: new Map<AnsweredRecord, string>(),
    without: new Map<AnsweredRecord, string>(),
    readings: new Map<AnsweredRecord, Reading>(),
    failures: new Map<string, string>(),
  };
  const groups = grouped(asked, ({ record }) => record.place, policy.grouping);
  await Promise.all(
    groups.map(async (group) => {
      const chars = group.map(({ record }) => record.fact.blocks.reduce((sum, block) => sum + (block.type === "text" ? block.body.chars : 0), 0));
      if (worthSummarizing(chars, policy.minChars) !== "yes") return leave(told, group, "trivial");
      const members = await Promise.all(group.map((each) => memberOf(model, each, input, told.readings, options)));
      await Promise.all(packed(members, input).map((pack) => tellPack(model, pack, told, options)));
    }),
  );
  for (const { reasons } of told.readings.values()) for (const [code, message] of reasons) if (message !== undefined) told.failures.set(code, message);
  return { ...told, sections: inOrder(told.sections, asked), without: inOrder(told.without, asked) };
}

type Telling = { readonly [K in keyof Told]: Told[K] extends ReadonlyMap<infer Key, infer V> ? Map<Key, V> : never };

function leave({ without }: Telling, members: readonly { readonly record: AnsweredRecord }[], why: string): void {
  for (const { record } of members) without.set(record, why);
}

function inOrder<V>(found: ReadonlyMap<AnsweredRecord, V>, asked: readonly Asked[]): Map<AnsweredRecord, V> {
  return new Map(asked.flatMap(({ record }) => (found.has(record) ? [[record, found.get(record) as V] as const] : [])));
}

/** A result as it stands in a prompt. */
interface Member {
  readonly record: AnsweredRecord;
  readonly subject: Subject;
  readonly input: string;
  readonly text: string;
  readonly tokens: Tokens;
}

async function memberOf(
  model: Model,
  { record, extract }: Asked,
  input: Tokens,
  readings: Map<AnsweredRecord, Reading>,
  options: CallOptions,
): Promise<Member> {
  const whole = textOf(record.fact.full ? [{ type: "text", body: record.fact.full }] : record.fact.blocks);
  const args = bodyText(record.call.input);
  const { tool, status } = record.fact;
  const subject = { ref: record.ref, tool, status, extract, material: `${args}\n${whole}` };
  const size = estimate(whole);
  if (size <= input / 2) return { record, subject, input: shortened(args), text: whole, tokens: size + estimate(shortened(args)) };
  const most: Bytes = Math.floor((input / 2) * BYTES_PER_TOKEN);
  const reading = await readLarge(model, { tool, input: shortened(args), args: argumentsOf(record.call), status, text: whole }, most, most, options);
  readings.set(record, reading);
  return { record, subject, input: shortened(args), text: reading.notes, tokens: estimate(reading.notes) };
}

/** What stands beside a result, its arguments and what was said with them; what is cut is counted. */
function shortened(text: string): string {
  return text.length <= 2000 ? text : `${text.slice(0, 2000)} … (${text.length - 2000} more characters)`;
}

/** Members in calls that hold no more than a model is to read at once. */
function packed(members: readonly Member[], input: Tokens): Member[][] {
  const packs: Member[][] = [];
  let room = 0;
  for (const member of members) {
    const pack = packs.at(-1);
    if (pack && member.tokens <= room && pack.length < MOST_RESULTS) pack.push(member);
    else {
      packs.push([member]);
      room = input;
    }
    room -= member.tokens;
  }
  return packs;
}

async function tellPack(model: Model, pack: readonly Member[], told: Telling, options: CallOptions): Promise<void> {
  const prompt = batchPrompt({
    said: shortened(saidWith(pack.map(({ record }) => record.place))),
    results: pack.map(({ subject, input, text }) => ({ tool: subject.tool, status: subject.status, input, text })),
  });
  const subjects = pack.map(({ subject }) => subject);
  const sections = new Map<string, Answer["sections"]>();
  const judge = (text: string) => {
    const answer = readAnswer(text, subjects);
    sections.set(text, answer.sections);
    return [...answer.faults, ...larger(answer.sections, pack)];
  };
  const asked = await ask(model, prompt, judge, options);
  if ("code" in asked) {
    if (asked.message !== undefined) told.failures.set(asked.code, asked.message);
    if (asked.code !== "length" || pack.length === 1) return leave(told, pack, asked.code);
    const half = Math.ceil(pack.length / 2);
    await Promise.all([tellPack(model, pack.slice(0, half), told, options), tellPack(model, pack.slice(half), told, options)]);
    return;
  }
  const answers = [asked.second, asked.first].flatMap((reply) => (reply ? [new Verdict(sections.get(reply.text) ?? new Map(), reply.faults)] : []));
  for (const [at, { record }] of pack.entries()) {
    const good = answers.find((answer) => answer.codeOf(at + 1) === undefined);
    const section = good?.sections.get(at + 1);
    if (section !== undefined) told.sections.set(record, section);
    else told.without.set(record, good ? "left-out" : (answers[0]?.codeOf(at + 1) as string));
  }
}

/** What an answer may be used for. */
class Verdict {
  readonly sections: ReadonlyMap<number, string>;
  /** What is wrong with all of it. */
  readonly #whole: string | undefined;
  readonly #own: ReadonlyMap<number, string>;
  /** A label of nobody's: what is not told may be what stands behind it. */
  readonly #mislabelled: boolean;

  constructor(sections: ReadonlyMap<number, string>, faults: readonly (TextFault & { readonly n?: number })[]) {
    this.sections = sections;
    this.#whole = faults.find(({ code, n }) => n === undefined && code !== "label")?.code;
    this.#own = new Map(faults.flatMap(({ n, code }) => (n === undefined ? [] : [[n, code] as const])));
    this.#mislabelled = faults.some(({ code }) => code === "label");
  }

  /** Why the answer can neither stand for the result with this label nor leave it out; undefined where it may. */
  codeOf(n: number): string | undefined {
    return this.#whole ?? this.#own.get(n) ?? (this.#mislabelled && !this.sections.has(n) ? "label" : undefined);
  }
}

/** A section that is no shorter than what it would stand for. */
function larger(sections: ReadonlyMap<number, string>, pack: readonly Member[]): AnswerFault[] {
  return pack.flatMap(({ subject, record }, at) => {
    const section = sections.get(at + 1);
    const size = record.fact.blocks.reduce((sum, block) => sum + (block.type === "text" ? block.body.bytes : 0), 0);
    if (section === undefined || Buffer.byteLength(section) < size) return [];
    return [{ code: "larger", n: at + 1, text: `what is said of [[${at + 1}:${subject.tool}]] is longer than the result itself` } as const];
  });
}
