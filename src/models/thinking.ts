// How much a model may think, in what the providers ask for.
import type { Tokens } from "../session/index.ts";
import type { Thinking } from "./model.ts";

/** Tokens for thinking, beside those of the reply. */
const BUDGETS: Readonly<Record<Thinking, Tokens>> = { default: 0, off: 0, minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768 };

/** The tokens that a level asks for beside those of the reply: a provider counts both against one limit. */
export function thinkingBudget(level: Thinking = "default"): Tokens {
  return BUDGETS[level];
}
