// The cases under test/vectors/formats: where their files are, and the shape of what each expects.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const VECTORS = fileURLToPath(new URL("../vectors/formats/", import.meta.url));

interface ExpectedRange {
  readonly line: number;
  readonly byteStart: number;
  readonly byteEnd: number;
}
export interface ExpectedRecord extends ExpectedRange {
  readonly sha256: string;
}
export interface ExpectedBlock {
  readonly type: string;
  readonly sha256?: string;
  readonly first60?: string;
  readonly dataSha256?: string;
  readonly was?: string;
  readonly opaque?: boolean;
  /** Of a `call` in the body of a replacement. */
  readonly callId?: string;
  readonly input?: unknown;
}
export interface ExpectedFact {
  readonly kind: "prompt" | "message" | "call" | "result" | "failure";
  readonly entry?: string;
  readonly parent?: number | null;
  readonly records: readonly ExpectedRecord[];
  readonly role?: string;
  readonly blocks?: readonly ExpectedBlock[];
  readonly callId?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly status?: string;
  readonly class?: string;
  readonly sha256?: string;
  readonly host?: string;
  readonly messageId?: string;
  readonly made?: boolean;
  readonly fallback?: boolean;
  readonly derived?: boolean;
  readonly meta?: boolean;
  /** Of a prompt: what holds after it. */
  readonly inEffect?: { readonly sections: readonly string[]; readonly tools: readonly string[] };
}
export interface ExpectedUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly messageId?: string;
  readonly records: readonly ExpectedRecord[];
}
export interface ExpectedTotals {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reports: number;
}
export interface ExpectedDecision {
  readonly kind: "compact" | "replace";
  readonly by: string;
  readonly entry: string;
  readonly records: readonly ExpectedRecord[];
  readonly hides: readonly number[];
  readonly legal?: boolean;
  readonly inEffect?: boolean;
  readonly summarySha256?: string | null;
  readonly keepsFrom?: number | null;
  /** A host's replacement list. */
  readonly shows?: readonly { readonly role: string; readonly blocks: readonly ExpectedBlock[] }[];
  readonly checkpoint?: boolean;
  readonly targets?: readonly number[];
  readonly body?: readonly ExpectedBlock[] | "unknown" | null;
}
interface ExpectedBranch {
  readonly head: string;
  readonly forkAt: number | null;
  readonly side?: boolean;
  readonly facts: readonly ExpectedFact[];
  readonly usage?: readonly ExpectedUsage[];
  readonly decisions?: readonly unknown[];
}
export interface ExpectedReading {
  readonly format: string;
  readonly session: Readonly<Record<string, unknown>>;
  readonly heads: number;
  readonly facts: readonly ExpectedFact[];
  readonly usage: readonly ExpectedUsage[];
  readonly usageTotals: ExpectedTotals;
  readonly markers: readonly { readonly records: readonly ExpectedRecord[] }[];
  readonly branches: readonly ExpectedBranch[];
  readonly decisions: readonly ExpectedDecision[];
  readonly derived: readonly { readonly sha256: string | null; readonly records: readonly ExpectedRecord[] }[];
  readonly hiddenAtHead: readonly number[];
  readonly shownEntries?: readonly string[];
  readonly diagnostics: readonly (ExpectedRange & { readonly what: string; readonly required: boolean })[];
  readonly tail: ExpectedRange | null;
  readonly subagentOf?: string;
  readonly agentId?: string;
}
export interface Expected extends ExpectedReading {
  readonly case: string;
  readonly file: string;
  readonly otherFiles?: Readonly<Record<string, ExpectedReading>>;
  readonly fullText?: { readonly fact: number; readonly file: string | null; readonly bytes?: number; readonly sha256?: string };
  readonly acrossFiles?: {
    readonly copyOf: string;
    readonly newFacts: readonly number[];
    readonly copiedFacts: readonly number[];
    readonly usageTotalsOnce: ExpectedTotals;
  };
}

/** One session file of a case and what its reading must be. */
interface VectorFile {
  readonly path: string;
  readonly expected: ExpectedReading;
}
export interface VectorCase {
  readonly name: string;
  /** The case's own file first, its other session files behind it. */
  readonly files: readonly [VectorFile, ...VectorFile[]];
  readonly expected: Expected;
}

/** All cases of one format, by name. */
export function vectorCases(format: string): VectorCase[] {
  const folder = join(VECTORS, format);
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "expected.json")))
    .map((name) => {
      const expected = readJson<Expected>(join(folder, name, "expected.json"));
      const others = Object.entries(expected.otherFiles ?? {}).map(([file, reading]) => ({ path: join(folder, name, file), expected: reading }));
      return { name, expected, files: [{ path: join(folder, name, expected.file), expected }, ...others] };
    });
}

/** A JSON file of a shape that its caller vouches for. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}
