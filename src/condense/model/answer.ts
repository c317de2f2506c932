// Reads what a model wrote of a batch: which bullets belong to which result, and what is wrong with them.
import type { Nonces } from "../../coverage/index.ts";
import { anchors } from "../../extract/index.ts";
import type { Ref, Status } from "../../session/index.ts";
import { fencedLines } from "../fences.ts";
import { holdsLabel, labelOf, substituteInlineRefs } from "../labels.ts";

/** What is known of a result that a model is asked about. */
export interface Subject {
  readonly ref: Ref;
  readonly tool: string;
  readonly status: Status;
  /** All that a model could take names from: arguments and the whole text. */
  readonly material: string;
  /** What the summary without a model says of it. */
  readonly extract: string;
}

/** `n`: the number of the result's label; absent where the whole answer is meant. */
export interface AnswerFault {
  readonly code: "label" | "no-label" | "missing" | "no-anchor" | "error-not-named" | "invented" | "larger";
  readonly n?: number;
  readonly text: string;
}

export interface Answer {
  /** The bullets of each result that they may stand for, by its label's number; the label is its ref. */
  readonly sections: ReadonlyMap<number, string>;
  readonly faults: readonly AnswerFault[];
}

/** A reply without the two words that the model was to give back. */
export function withoutEnds(reply: string, { head, tail }: Nonces): string {
  const left = reply.split("\n").flatMap((line) => {
    if (!line.includes(head) && !line.includes(tail)) return [line];
    const without = line.replaceAll(head, "").replaceAll(tail, "").trim();
    return /^[\s*_`#>"'.:-]*$/.test(without) ? [] : [without];
  });
  return left.join("\n").trim();
}

/**
 * Reads an answer on a batch, `subjects[i]` being what label `i + 1` stands for. A fault of one result concerns its section alone; one without a
 * number concerns them all.
 */
export function readAnswer(text: string, subjects: readonly Subject[]): Answer {
  const { sections, faults } = sectionsOf(text, subjects);
  if (sections.size === 0) faults.push({ code: "no-label", text: "no bullet starts with the label of a call" });
  return { sections, faults: [...faults, ...subjects.flatMap((subject, at) => faultsOf(subject, at + 1, sections.get(at + 1)))] };
}

/** The lines behind each label, in the text's order; several sections of one result are joined. What stands before the first label is nobody's and is left out. */
function sectionsOf(text: string, subjects: readonly Subject[]): { sections: Map<number, string>; faults: AnswerFault[] } {
  const lines = text.split("\n");
  const fences = fencedLines(lines);
  const found = new Map<number, string[]>();
  const faults: AnswerFault[] = [];
  let open: string[] | undefined;
  for (const [at, line] of lines.entries()) {
    const label = fences[at] ? undefined : labelOf(line);
    if (label) {
      const subject = subjects[label.n - 1];
      if (!subject || !label.isOf(subject.tool)) {
        open = undefined;
        const there = subject ? `label ${label.n} is [[${label.n}:${subject.tool}]]` : `there are ${subjects.length} calls`;
        faults.push({ code: "label", text: `it holds the label [[${label.n}:${label.name}]], but ${there}` });
        continue;
      }
      open = found.get(label.n) ?? [];
      found.set(label.n, open);
    } else if (!fences[at] && (holdsLabel(line) || REF_BULLET.test(line))) {
      // Wrapped, not at its place, or a ref that nobody gave it: whose line this is nobody can tell.
      open = undefined;
      faults.push({ code: "label", text: `a label is not the first thing behind the dash of its bullet: ${line.trim().slice(0, 60)}` });
    }
    open?.push(line);
  }
  const refs = subjects.map(({ ref }) => ref);
  const tools = subjects.map(({ tool }) => tool);
  const sections = [...found].map(([n, own]) => [n, asOurs(substituteInlineRefs(own.join("\n"), refs, tools), refs[n - 1] as Ref)] as const);
  return { sections: new Map(sections.sort(([a], [b]) => a - b)), faults };
}

/** A bullet that begins with a ref in backticks. */
const REF_BULLET = /^\s*[-*] +`[tb]\d+`/;

/**
 * A section as it may stand in a text of ours: each of its bullets begins with its ref, every other line is moved in, so that none can be taken for a
 * line of ours, and nothing in it steers a terminal or turns the direction of text.
 */
function asOurs(section: string, ref: Ref): string {
  const lines = section.replace(STEERING, "").trimEnd().split("\n");
  const fences = fencedLines(lines);
  return lines.map((line, at) => (fences[at] ? `  ${line}` : ourLine(line, ref))).join("\n");
}

function ourLine(line: string, ref: Ref): string {
  const [, text] = /^ ?[-*] +(?:`t\d+` ?)?(.*)$/.exec(line) ?? [];
  if (text !== undefined) return `- \`${ref}\` ${text}`.trimEnd();
  return line.trim() === "" || /^ {2}/.test(line) ? line.trimEnd() : `  ${line}`;
}

/** Escape sequences, other control characters but line ends, and marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const STEERING = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

function faultsOf(subject: Subject, n: number, section: string | undefined): AnswerFault[] {
  const name = `[[${n}:${subject.tool}]]`;
  if (section === undefined) {
    if (subject.status !== "error") return [];
    return [{ code: "missing", n, text: `${name} failed, and nothing is said of it` }];
  }
  const faults: AnswerFault[] = [];
  const said = [...new Set(anchors(section))];
  const known = said.filter((anchor) => isIn(anchor, subject.material));
  if (known.length === 0 ? new Set(anchors(subject.extract)).size >= RICH : known.length < said.length / 2)
    faults.push({ code: "no-anchor", n, text: `most of the paths, names and error texts in what is said of ${name} do not stand there` });
  if (subject.status === "error" && !FAILED.test(section) && !errorLines(subject.extract).some((anchor) => section.includes(anchor)))
    faults.push({ code: "error-not-named", n, text: `${name} failed, and what is said of it does not say so` });
  const invented = said.filter((anchor) => isName(anchor) && !known.includes(anchor));
  if (invented.length > 0)
    faults.push({ code: "invented", n, text: `what is said of ${name} names ${invented.slice(0, 3).join(", ")}, which does not stand there` });
  return faults;
}

/** Anchors of an extract from which on a summary that has none of the result's is of something else, or of nothing. */
const RICH = 8;
const FAILED =
  /\b(?:error|errors|fail|fails|failed|failure|failing|exception|denied|refused|missing|not found|no such|cannot|could not|unable|invalid|exit(?:ed)?(?: code| status)? [1-9]|timed? ?out|abort(?:ed)?|panic|crash(?:ed)?|✗|✘)\b/i;

/** Whether a text says in English that something failed. */
export function tellsOfFailure(text: string): boolean {
  return FAILED.test(text);
}

/** Names in the lines of an extract that tell of a failure. */
function errorLines(extract: string): string[] {
  return extract
    .split("\n")
    .filter((line) => FAILED.test(line))
    .flatMap((line) => [...anchors(line)]);
}

/** Whether an anchor is a path of a file or the code of an error: what nobody makes up by rewording. */
function isName(anchor: string): boolean {
  return /^(?:[\w@~.-]*[/\\])+[\w@.-]*\.\w{1,10}$/.test(anchor) || /^(?:TS\d{4,5}|E[A-Z]{4,})$/.test(anchor);
}

function isIn(anchor: string, material: string): boolean {
  return material.includes(anchor) || material.includes(anchor.slice(anchor.search(/[^/\\]*$/)));
}
