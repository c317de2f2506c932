// Random Pi session files, version 3: every entry type that shapes what the model sees, on several branches.
import fc from "fast-check";

export interface PiRecord {
  readonly type: string;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly [key: string]: unknown;
}

type Wish =
  | { readonly do: "user"; readonly image: boolean }
  | {
      readonly do: "turn";
      readonly calls: number;
      readonly turn: number;
      readonly thinking: boolean;
      readonly fails: boolean;
      readonly stop: "toolUse" | "length";
    }
  | { readonly do: "answer"; readonly stop: "stop" | "error" | "aborted"; readonly empty: boolean }
  | { readonly do: "bash"; readonly exclude: boolean; readonly output: number }
  | { readonly do: "custom"; readonly plain: boolean }
  | { readonly do: "marker"; readonly kind: "model_change" | "thinking_level_change" | "label" | "session_info" | "custom" | "usage" }
  | { readonly do: "system"; readonly sections: number; readonly tools: number }
  | { readonly do: "compaction"; readonly keep: number; readonly how: "entry" | "none" | "unknown" | "self"; readonly checkpoint: boolean }
  | { readonly do: "edit"; readonly target: number; readonly as: "text" | "nothing" | "arguments" }
  | { readonly do: "branch"; readonly to: number; readonly summary: boolean };

const PICK = 1000;
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("user" as const), image: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      calls: fc.integer({ min: 1, max: 3 }),
      turn: fc.nat(2),
      thinking: fc.boolean(),
      fails: fc.boolean(),
      stop: fc.constantFrom("toolUse" as const, "length" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      stop: fc.constantFrom("stop" as const, "stop" as const, "error" as const, "aborted" as const),
      empty: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bash" as const), exclude: fc.boolean(), output: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("custom" as const), plain: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("marker" as const),
      kind: fc.constantFrom(
        "model_change" as const,
        "thinking_level_change" as const,
        "label" as const,
        "session_info" as const,
        "custom" as const,
        "usage" as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("system" as const), sections: fc.nat(7), tools: fc.nat(7) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("compaction" as const),
      keep: fc.nat(PICK),
      how: fc.constantFrom("entry" as const, "entry" as const, "entry" as const, "none" as const, "unknown" as const, "self" as const),
      checkpoint: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      target: fc.nat(PICK),
      as: fc.constantFrom("text" as const, "nothing" as const, "arguments" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("branch" as const), to: fc.nat(PICK), summary: fc.boolean() }) },
);

const USAGE = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The hand that writes one file. */
class Writer {
  readonly records: PiRecord[] = [
    { type: "session", version: 3, id: "0198a1b2-0000-7000-8000-000000000001", timestamp: "2026-03-02T09:00:00.000Z", cwd: "/srv/app" },
  ];
  #leaf: string | null = null;
  #count = 0;
  readonly #parents = new Map<string, string | null>();

  add(record: { readonly type: string; readonly [key: string]: unknown }): string {
    const id = `r${String(this.#count++).padStart(4, "0")}`;
    this.records.push({ id, parentId: this.#leaf, timestamp: new Date(1_772_442_000_000 + this.#count * 1000).toISOString(), ...record });
    this.#parents.set(id, this.#leaf);
    this.#leaf = id;
    return id;
  }

  message(message: object): string {
    return this.add({ type: "message", message: { ...message, timestamp: 1_772_442_000_000 + this.#count * 1000 } });
  }

  goTo(id: string | null): void {
    this.#leaf = id;
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  get nextId(): string {
    return `r${String(this.#count).padStart(4, "0")}`;
  }

  /** The records on the current path, oldest first. */
  path(): PiRecord[] {
    const ids = new Set<string>();
    for (let at = this.#leaf; at !== null; at = this.#parents.get(at) ?? null) ids.add(at);
    return this.records.filter((record) => record.id !== undefined && ids.has(record.id));
  }
}

/** The records of a random session file, header first. Batches are whole: no view of Pi's holds a broken pair. */
export function arbitraryPiSession(): fc.Arbitrary<readonly PiRecord[]> {
  return fc.array(wish, { minLength: 1, maxLength: 25, size: "max" }).map((wishes) => {
    const writer = new Writer();
    for (const each of wishes) grant(writer, each);
    return writer.records;
  });
}

function roleOf(record: PiRecord): string | undefined {
  return record.type === "message" ? (record.message as { role: string }).role : undefined;
}

function choose<T>(from: readonly T[], number: number): T | undefined {
  return from.length === 0 ? undefined : from[number % from.length];
}

function grant(writer: Writer, wish: Wish): void {
  const name = writer.nextId;
  switch (wish.do) {
    case "user":
      writer.message({
        role: "user",
        content: wish.image
          ? [
              { type: "text", text: `look ${name}` },
              { type: "image", data: PIXEL, mimeType: "image/png" },
            ]
          : `please ${name}`,
      });
      break;
    case "turn":
      grantTurn(writer, wish);
      break;
    case "answer":
      writer.message(assistant(wish.empty ? [] : [{ type: "text", text: `answer ${name}` }], wish.stop));
      break;
    case "bash":
      writer.message({
        role: "bashExecution",
        command: `run ${name}`,
        output: ["", "one line", "two\nlines\n", "x".repeat(300)][wish.output],
        exitCode: wish.output,
        cancelled: wish.output === 2,
        truncated: wish.output === 3,
        ...(wish.output === 3 && { fullOutputPath: "/tmp/full" }),
        excludeFromContext: wish.exclude,
      });
      break;
    case "custom":
      writer.add({
        type: "custom_message",
        customType: "note",
        content: wish.plain ? `note ${name}` : [{ type: "text", text: `note ${name}` }],
        display: true,
      });
      break;
    case "marker":
      grantMarker(writer, wish.kind);
      break;
    case "system":
      writer.message(system(name, wish.sections, wish.tools));
      break;
    case "compaction":
      grantCompaction(writer, wish);
      break;
    case "edit":
      grantEdit(writer, wish);
      break;
    case "branch":
      grantBranch(writer, wish);
      break;
  }
}

function assistant(content: readonly object[], stopReason: string): object {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: USAGE,
    stopReason,
    ...(stopReason === "error" && { errorMessage: "529 overloaded" }),
  };
}

function system(name: string, sections: number, tools: number): object {
  const words = ["preamble", "tools", "skills"];
  return {
    role: "system",
    content: "",
    sections: Object.fromEntries(
      words.flatMap((word, bit): [string, string | null][] => ((sections >> bit) & 1 ? [[word, `${word} of ${name}`]] : bit === 2 ? [[word, null]] : [])),
    ),
    toolsAdded: words.flatMap((word, bit) => ((tools >> bit) & 1 ? [{ name: word, description: name, parameters: {} }] : [])),
    ...(tools === 0 && { toolsRemoved: [{ name: "tools" }] }),
  };
}

function grantTurn(writer: Writer, { calls, turn, thinking, fails, stop }: Wish & { do: "turn" }): void {
  const name = writer.nextId;
  // Ids come again in later turns; inside one message they differ, as Pi's own conversion cannot keep equal ones apart.
  const ids = Array.from({ length: calls }, (_, index) => `call_${(index + turn) % 4}`);
  writer.message(
    assistant(
      [
        ...(thinking ? [{ type: "thinking", thinking: `thought ${name}`, thinkingSignature: `sig ${name}` }] : []),
        { type: "text", text: `calling ${name}` },
        ...ids.map((id, index) => ({ type: "toolCall", id, name: "read", arguments: { path: `${name}-${index}.ts`, deep: { n: [index] } } })),
      ],
      stop,
    ),
  );
  for (const [index, id] of [...ids.entries()].slice(turn % calls).concat([...ids.entries()].slice(0, turn % calls)))
    writer.message({
      role: "toolResult",
      toolCallId: id,
      toolName: "read",
      content: [{ type: "text", text: `result ${name} ${index} ${"long ".repeat(60)}` }],
      isError: fails && index === 0,
    });
}

function grantMarker(writer: Writer, kind: (Wish & { do: "marker" })["kind"]): void {
  const data = {
    model_change: { provider: "anthropic", modelId: "claude-opus-4-5" },
    thinking_level_change: { thinkingLevel: "high" },
    label: { targetId: writer.leaf ?? "none", label: "here" },
    session_info: { name: "a name" },
    custom: { customType: "state", data: { n: 1 } },
    usage: { kind: "title", provider: "p", model: "m", usage: USAGE },
  }[kind];
  writer.add({ type: kind, ...data });
}

/** A compaction that hides at least one message: Pi makes no other, and one of ours that hides nothing counts for nothing. */
function grantCompaction(writer: Writer, { keep, how, checkpoint }: Wish & { do: "compaction" }): void {
  const id = writer.nextId;
  const path = writer.path();
  const first = path.findIndex((record) => ["user", "assistant"].includes(roleOf(record) ?? ""));
  if (first < 0) return;
  const whole = path.slice(first + 1).filter((record) => roleOf(record) !== "toolResult");
  const kept = { entry: choose(whole, keep)?.id ?? null, none: null, unknown: "nowhere", self: id }[how];
  writer.add({
    type: "compaction",
    summary: `summary ${id}`,
    firstKeptEntryId: kept,
    tokensBefore: 1000,
    ...(checkpoint && { systemMessage: { ...system(id, 5, 3), timestamp: 1_772_442_000_000 } }),
  });
}

/** Edits as Pi and its extensions make them: a result's text, a message's text, arguments in place, a whole batch taken out. */
function grantEdit(writer: Writer, { target, as }: Wish & { do: "edit" }): void {
  const path = writer.path();
  const able = path.filter((record) => record.type === "custom_message" || ["user", "assistant", "toolResult"].includes(roleOf(record) ?? ""));
  const chosen = choose(able, target);
  if (!chosen?.id) return;
  const edit = (targetId: string, content: unknown) => writer.add({ type: "context_edit", targetId, replacement: content === null ? null : { content } });
  const role = roleOf(chosen);
  const content = (chosen.message as { content?: unknown } | undefined)?.content;
  const calls = Array.isArray(content) ? (content as { type: string }[]).filter((block) => block.type === "toolCall") : [];
  if (role === "assistant" && calls.length > 0) {
    if (as === "nothing") {
      const from = path.indexOf(chosen);
      const results = path.slice(from + 1, from + 1 + calls.length);
      if (!results.every((record) => roleOf(record) === "toolResult")) return;
      for (const record of [...results, chosen]) edit(String(record.id), null);
    } else
      edit(
        chosen.id,
        (content as { type: string }[]).map((block) => (block.type === "toolCall" ? { ...block, arguments: { tag: `(stripped ${writer.nextId})` } } : block)),
      );
    return;
  }
  if (as === "nothing" && role !== "toolResult") edit(chosen.id, null);
  else
    edit(
      chosen.id,
      as === "arguments"
        ? [
            { type: "text", text: `first ${writer.nextId}` },
            { type: "text", text: "second" },
          ]
        : [{ type: "text", text: `edited ${writer.nextId}` }],
    );
}

function grantBranch(writer: Writer, { to, summary }: Wish & { do: "branch" }): void {
  const path = writer.path();
  const ends = path.filter((record, index) => roleOf(path[index + 1] ?? record) !== "toolResult");
  const chosen = choose(ends, to);
  const from = writer.leaf;
  writer.goTo(chosen?.id ?? null);
  if (summary) writer.add({ type: "branch_summary", fromId: from ?? "root", summary: `summary of ${from}` });
}
