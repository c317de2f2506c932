// The summary of one result without a model: what matters of its kind verbatim, and the names that nothing else holds.
import type { Tokens } from "../session/index.ts";
import { estimate } from "../tokens/index.ts";
import { describe } from "./describe.ts";
import { type Document, type ExtractInput, type Extractor, isNumbered, type Proposal } from "./document.ts";
import { exitCodeOf } from "./exit-code.ts";
import { access } from "./kinds/access.ts";
import { diagnostics } from "./kinds/diagnostics.ts";
import { diff } from "./kinds/diff.ts";
import { grep } from "./kinds/grep.ts";
import { json } from "./kinds/json.ts";
import { listing } from "./kinds/listing.ts";
import { log } from "./kinds/log.ts";
import { packages } from "./kinds/packages.ts";
import { plain } from "./kinds/plain.ts";
import { prose } from "./kinds/prose.ts";
import { rows } from "./kinds/rows.ts";
import { source } from "./kinds/source.ts";
import { stack } from "./kinds/stack.ts";
import { tests } from "./kinds/tests.ts";
import { normalise } from "./normalise.ts";
import { listAnchors, survey } from "./novelty.ts";
import { Selection } from "./selection.ts";

export interface ExtractOptions {
  /** Tokens to stay near; by default 40 % of the text's, from 40 to 2,500. Failures may take half as much again. */
  readonly budget?: Tokens;
  /** Part of the budget for verbatim lines; the rest lists anchors. By default 0.3. */
  readonly lines?: number;
  /** Texts of at most this many tokens stay as they are; by default 120. */
  readonly short?: Tokens;
  /** Whether the reader has an anchor already, so that it need not be listed. */
  readonly known?: (anchor: string) => boolean;
}

export interface Extract {
  /** Lines `12| text` stand so in the input; lines that begin with `~`, blanks, `…` or `ids:` were made. */
  readonly text: string;
  /** `tests`, `source`, `search`, `trace`, `text`, … */
  readonly kind: string;
  /** Lines of the input. */
  readonly lines: number;
  /** Where the text states one. */
  readonly exitCode?: number;
  /** `text` is the input itself: nothing shorter was found, or it was short. */
  readonly whole: boolean;
}

/** Texts of at most this many tokens stay as they are. */
const SHORT: Tokens = 120;
const SHARE = 0.4;
const LEAST: Tokens = 40;
const MOST: Tokens = 2500;
/** Of the budget: what verbatim lines take, the rest lists anchors; and what failures may take beside both. */
const LINES = 0.3;
const FAILURES = 0.5;

const EXTRACTORS: readonly Extractor[] = [tests, diff, access, log, json, source, listing, diagnostics, packages, grep, rows, stack, prose, plain];

/**
 * Extracts what matters from a tool's result. The same input gives the same bytes, in time linear in its length; the extract is
 * smaller than the input in bytes, or it is the input.
 *
 * @example extract({ tool: "bash", args: { command: "npm test" }, text, status: "error" }).text
 */
export function extract(input: ExtractInput, options: ExtractOptions = {}): Extract {
  const exitCode = exitCodeOf(input.text);
  const lines = normalise(input.text);
  const total = lines.at(-1)?.last ?? 0;
  const size = estimate(input.text);
  const budget = options.budget ?? Math.min(MOST, Math.max(LEAST, Math.floor(size * SHARE)));
  const document = describe(input, lines, budget);
  const proposal = propose(document);
  const frame = { kind: proposal.kind, lines: total, ...(exitCode !== undefined && { exitCode }) };
  if (size <= (options.short ?? SHORT) || budget >= size) return { ...frame, text: input.text, whole: true };
  const text = compose(document, proposal, budget, options);
  if (Buffer.byteLength(text) >= Buffer.byteLength(input.text)) return { ...frame, text: input.text, whole: true };
  return { ...frame, text, whole: false };
}

function propose(document: Document): Proposal {
  for (const extractor of EXTRACTORS) {
    const proposal = extractor(document);
    if (proposal) return proposal;
  }
  return plain(document);
}

function compose(document: Document, proposal: Proposal, budget: Tokens, { lines = LINES, known }: ExtractOptions): string {
  const numbered = (proposal.numbered ?? proposal.kind === "source") && isNumbered(document.lines);
  const selection = new Selection(document, numbered);
  const forLines = budget * Math.max(lines, proposal.lines ?? 0);
  if (proposal.ends) selection.addEnds(forLines);
  selection.addFailures(proposal.required, budget * FAILURES);
  // Pieces that stand for all lines were made to fit the budget.
  const limit = proposal.holds === undefined ? selection.spent + Math.max(0, forLines * proposal.share - selection.spentOnLines) : Number.POSITIVE_INFINITY;
  selection.add(proposal.preferred, limit);
  const found = survey(document.lines, numbered, known, proposal.silent, proposal.fill ? [] : ["place", ...(proposal.holds ?? [])]);
  if (proposal.fill) selection.fill(found.novelty, forLines, proposal.told);
  const shown = selection.text(proposal.holds === undefined ? "marked" : "none");
  const list = listAnchors(found, shown, budget - Math.min(budget, selection.spentOnLines), proposal.holds);
  return list === "" ? shown : `${shown}\n${list}`;
}
