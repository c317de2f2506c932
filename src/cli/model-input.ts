// The language model that a command asks: what its options and the configuration name, and what came of asking.
import type { Command } from "commander";
import type { Summarizer, SummaryReport } from "../condense/index.ts";
import type { Policy } from "../config/index.ts";
import type { Meter } from "../models/index.ts";
import type { AttemptDecision } from "../session/index.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { counted, thousands } from "./table.ts";

export interface ModelOptions {
  /** `none` or `PROVIDER/ID`. */
  readonly model?: string;
  readonly budget?: Budget;
}

interface Budget {
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  /** As it was given. */
  readonly text: string;
}

/** Adds what every command takes that can ask a model. */
export function addModelOptions(command: Command): Command {
  return command
    .option("--model <name>", "the language model that writes summaries, as PROVIDER/ID, such as anthropic/claude-haiku-4-5 or ollama/qwen3:8b; none: extracts")
    .option("--budget <amount>", "stop asking the model before this is spent: tokens, such as 200k or 1.5M, or dollars, such as $0.50", budgetOf);
}

/** What the options say of a policy. */
export function modelFlags({ model, budget }: ModelOptions): object {
  if (model === undefined && budget === undefined) return {};
  const { text: _, ...amount } = budget ?? { text: "" };
  return { models: { ...(model !== undefined && { model }), ...amount } };
}

/** The options as they were given. */
export function modelWords({ model, budget }: ModelOptions): string[] {
  return [...(model === undefined ? [] : ["--model", model]), ...(budget === undefined ? [] : ["--budget", budget.text])];
}

function budgetOf(text: string): Budget {
  const [, dollars, amount = "", unit = ""] = /^(\$?)(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text) ?? [];
  const value = Number(amount) * (unit === "" ? 1 : /k/i.test(unit) ? 1e3 : 1e6);
  if (value > 0 && dollars === "$" && unit === "") return { budgetUsd: value, text };
  if (value >= 1 && dollars === "") return { budgetTokens: Math.floor(value), text };
  throw new Failure("usage", `--budget: expected tokens, such as 200k or 1.5M, or dollars, such as $0.50, found ${JSON.stringify(text)}.`, EXIT.usage);
}

/** A model that was asked, and what it did epoch by epoch. */
export interface Asking {
  readonly summarizer: Summarizer;
  readonly meter: Meter;
  readonly reports: SummaryReport[];
}

/**
 * The model of a policy, ready to be asked; undefined where it names none. What changes about it meanwhile is said on stderr.
 *
 * @throws Failure where its name or its key is wrong.
 */
export async function askingOf({ models, condense }: Policy): Promise<Asking | undefined> {
  if (models.model === "none") return undefined;
  const { composed, ModelError } = await import("../models/index.ts");
  const { summarizerOf } = await import("../condense/index.ts");
  try {
    let changes: AttemptDecision[] = [];
    const opened = await composed(models, {
      onChange: (change, { code }) => {
        const isDown = change === "down";
        process.stderr.write(
          isDown ? `palimpsest: ${models.model} cannot be reached: ${models.fallback} stands in\n` : `palimpsest: ${models.model} answers again\n`,
        );
        changes.push({ kind: "attempt", what: "outage", phase: isDown ? "started" : "done", ...(code !== undefined && { code }) });
      },
    });
    const taken = () => {
      const all = changes;
      changes = [];
      return all;
    };
    return opened && { summarizer: { ...summarizerOf(opened, condense.summaries), changes: taken }, meter: opened.meter, reports: [] };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new Failure(`model-${error.class}`, error.message, EXIT.usage);
  }
}

/** What a model did, for a program. */
export function askedJson({ summarizer, reports, meter }: Asking): object {
  const { asked, told, without, failures, read, fused } = summed(reports);
  return { name: summarizer.model.name, asked, told, without, failures, read, fused, usage: meter.totals(), calls: meter.rows };
}

/** The same in one line. */
export function askedLine(asking: Asking): string {
  const { asked, told, without, failures, read } = summed(asking.reports);
  if (asked === 0) return `model     ${asking.summarizer.model.name}: not asked, as no result is condensed anew`;
  const { calls, input, output, cost } = asking.meter.totals();
  const why = Object.entries(without).sort(([, a], [, b]) => b - a);
  const tokens = (sum: { readonly known: number; readonly unknownCalls: number }) =>
    calls > 0 && sum.unknownCalls === calls ? "unknown" : `${sum.unknownCalls > 0 ? "at least " : ""}${thousands(sum.known)}`;
  const price = cost.unknownCalls > 0 ? (cost.unknownCalls === calls ? "cost unknown" : `at least $${cost.known.toFixed(4)}`) : `$${cost.known.toFixed(4)}`;
  return [
    `model     ${asking.summarizer.model.name}: ${told} of ${counted(asked, "result")} summarized in ${counted(calls, "call")}, ${tokens(input)} tokens in, ${tokens(output)} out, ${price}`,
    ...(why.length > 0 ? [`          extracted instead: ${why.map(([code, count]) => `${count} ${code}`).join(", ")}`] : []),
    ...Object.entries(failures).map(([code, message]) => `          ${code}: ${message}`),
    ...(read.windows > 0
      ? [`          read in parts: ${thousands(read.credited)} of ${thousands(read.bytes)} bytes proved read, in ${counted(read.windows, "window")}`]
      : []),
  ].join("\n");
}

/** Why the work of the model is not all that was asked for; undefined where it is, but for answers that could not be used. */
export function shortfall({ summarizer, reports }: Asking): Failure | undefined {
  const { asked, told, without, failures } = summed(reports);
  const { name } = summarizer.model;
  const among = (codes: (code: string) => boolean) => Object.entries(without).reduce((sum, [code, count]) => sum + (codes(code) ? count : 0), 0);
  const stopped = among(isBudget);
  if (stopped > 0)
    return new Failure(
      "budget-spent",
      `the budget did not last: ${counted(stopped, "result")} of ${asked} were extracted without ${name}. Nothing is lost; raise --budget to have them summarized.`,
      EXIT.partial,
    );
  const unasked = among((code) => code in failures);
  const [[code, message] = []] = Object.entries(failures);
  if (unasked > 0)
    return new Failure(
      "model-not-reached",
      `${counted(unasked, "result")} of ${asked} were extracted, as ${name} could not be asked (${code}): ${message} Nothing is lost.`,
      EXIT.partial,
    );
  const [worst] = Object.entries(without)
    .filter(([why]) => why !== "trivial" && why !== "left-out")
    .sort(([, a], [, b]) => b - a);
  if (told > 0 || worst === undefined) return undefined;
  return new Failure(
    "model-of-no-use",
    `expected summaries by ${name}, found none that can be used (${worst[0]}): all ${counted(asked, "result")} were extracted. Nothing is lost; docs/models.md says how answers are checked.`,
    EXIT.partial,
  );
}

function isBudget(code: string): boolean {
  return code === "budget-tokens" || code === "budget-usd" || code === "no-price";
}

function summed(reports: readonly SummaryReport[]): Omit<SummaryReport, "usage"> {
  const without: Record<string, number> = {};
  const failures: Record<string, string> = {};
  const sum = { asked: 0, told: 0, fused: 0, windows: 0, bytes: 0, credited: 0 };
  for (const { asked, told, fused, read, without: own, failures: said } of reports) {
    Object.assign(failures, said);
    sum.asked += asked;
    sum.told += told;
    sum.fused += fused;
    sum.windows += read.windows;
    sum.bytes += read.bytes;
    sum.credited += read.credited;
    for (const [code, count] of Object.entries(own)) without[code] = (without[code] ?? 0) + count;
  }
  const { windows, bytes, credited, ...counts } = sum;
  return { ...counts, without, failures, read: { windows, bytes, credited } };
}
