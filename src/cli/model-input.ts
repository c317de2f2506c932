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
}

/** Adds what every command takes that can ask a model. */
export function addModelOptions(command: Command): Command {
  return command
    .option("--model <name>", "the language model that writes summaries, as PROVIDER/ID, such as anthropic/claude-haiku-4-5 or ollama/qwen3:8b; none: extracts")
    .option("--budget <amount>", "stop asking the model before this is spent: tokens, such as 200k or 1.5M, or dollars, such as $0.50", budgetOf);
}

/** What the options say of a policy. */
export function modelFlags({ model, budget }: ModelOptions): object {
  return model === undefined && budget === undefined ? {} : { models: { ...(model !== undefined && { model }), ...budget } };
}

function budgetOf(text: string): Budget {
  const [, dollars, amount = "", unit = ""] = /^(\$?)(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text) ?? [];
  const value = Number(amount) * (unit === "" ? 1 : /k/i.test(unit) ? 1e3 : 1e6);
  if (value > 0 && dollars === "$" && unit === "") return { budgetUsd: value };
  if (value >= 1 && dollars === "") return { budgetTokens: Math.floor(value) };
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
  const { asked, told, without, read, fused } = summed(reports);
  return { name: summarizer.model.name, asked, told, without, read, fused, usage: meter.totals(), calls: meter.rows };
}

/** The same in one line. */
export function askedLine(asking: Asking): string {
  const { asked, told, without, read } = summed(asking.reports);
  const { calls, input, output, cost } = asking.meter.totals();
  const why = Object.entries(without).sort(([, a], [, b]) => b - a);
  const tokens = (sum: { readonly known: number; readonly unknownCalls: number }) =>
    calls > 0 && sum.unknownCalls === calls ? "unknown" : `${sum.unknownCalls > 0 ? "at least " : ""}${thousands(sum.known)}`;
  const price = cost.unknownCalls > 0 ? (cost.unknownCalls === calls ? "cost unknown" : `at least $${cost.known.toFixed(4)}`) : `$${cost.known.toFixed(4)}`;
  return [
    `model     ${asking.summarizer.model.name}: ${told} of ${counted(asked, "result")} summarized in ${counted(calls, "call")}, ${tokens(input)} tokens in, ${tokens(output)} out, ${price}`,
    ...(why.length > 0 ? [`          extracted instead: ${why.map(([code, count]) => `${count} ${code}`).join(", ")}`] : []),
    ...(read.windows > 0
      ? [`          read in parts: ${thousands(read.credited)} of ${thousands(read.bytes)} bytes proved read, in ${counted(read.windows, "window")}`]
      : []),
  ].join("\n");
}

/** Why the work of the model is not all that was asked for; undefined where it is. */
export function shortfall({ summarizer, reports }: Asking): Failure | undefined {
  const { asked, told, without } = summed(reports);
  const stopped = Object.entries(without).reduce((sum, [code, count]) => sum + (/^(?:budget|no-price)/.test(code) ? count : 0), 0);
  if (stopped > 0)
    return new Failure(
      "budget-spent",
      `the budget did not last: ${counted(stopped, "result")} of ${asked} were extracted without ${summarizer.model.name}. Nothing is lost; raise --budget to have them summarized.`,
      EXIT.partial,
    );
  const [worst] = Object.entries(without)
    .filter(([code]) => code !== "trivial" && code !== "left-out")
    .sort(([, a], [, b]) => b - a);
  if (told > 0 || worst === undefined) return undefined;
  return new Failure(
    "model-of-no-use",
    `expected summaries by ${summarizer.model.name}, found none that can be used (${worst[0]}): all ${asked} results were extracted instead. Nothing is lost; palimpsest doctor says what would be asked, and where.`,
    EXIT.partial,
  );
}

function summed(reports: readonly SummaryReport[]): Omit<SummaryReport, "usage"> {
  const without: Record<string, number> = {};
  const sum = { asked: 0, told: 0, fused: 0, windows: 0, bytes: 0, credited: 0 };
  for (const { asked, told, fused, read, without: own } of reports) {
    sum.asked += asked;
    sum.told += told;
    sum.fused += fused;
    sum.windows += read.windows;
    sum.bytes += read.bytes;
    sum.credited += read.credited;
    for (const [code, count] of Object.entries(own)) without[code] = (without[code] ?? 0) + count;
  }
  const { windows, bytes, credited, ...counts } = sum;
  return { ...counts, without, read: { windows, bytes, credited } };
}
