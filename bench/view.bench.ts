// B1: the view for the next request after one new entry. B2: the view from nothing.
import { bodyText, entryId, type Session, textBody } from "../src/session/index.ts";
import { itemText, Projector, pairFaults, type View, view } from "../src/view/index.ts";
import { type Benchmark, median, ms, quantile, timed } from "./harness.ts";
import { seededSession } from "./sessions.ts";

/** What a request of the same messages would be, as plain objects. */
function plainMessages(shown: View): object[] {
  return shown.items.map((item) => ({ role: item.role, ...("callId" in item ? { callId: item.callId } : {}), text: itemText(item) }));
}

/** Adds one call and one result at a time, and looks at what the next request needs of the view. */
function oneNewEntry(session: Session): number[] {
  const projector = new Projector(session);
  for (const place of session.path()) projector.advance(place);
  let sealed = 0;
  let added = 0;
  const look = () => {
    const shown = projector.view();
    if (pairFaults(shown, sealed).length > 0) throw new Error("a broken pair");
    sealed = shown.sealed;
    return shown.hash().length + shown.tokens;
  };
  look();
  const step = () => {
    const name = `new${added++}`;
    for (const [index, data] of [
      { kind: "message", role: "assistant", blocks: [] } as const,
      { kind: "call", callId: name, tool: "read", input: textBody(`{"path":"${name}"}`) } as const,
      { kind: "result", callId: name, tool: "read", status: "ok", blocks: [{ type: "text", body: textBody(`content of ${name}`) }] } as const,
    ].entries()) {
      const parent = projector.head;
      session.append({ id: entryId(`${name}#${index}`), parent: parent?.entry.id ?? null, data });
      const place = session.find(entryId(`${name}#${index}`));
      if (place) projector.advance(place);
      look();
    }
  };
  return timed(step, 200, 50).map((spent) => spent / 3);
}

export const b1: Benchmark = {
  id: "B1",
  title: "view, pair check, hash and tokens for the next request after one new entry",
  run() {
    const sizes = [1_000, 16_000, 100_000];
    const limits = new Map([
      [1_000, "≤ 1 ms"],
      [16_000, "≤ 3 ms"],
      [100_000, "as at 1,000"],
    ]);
    return sizes.map((size) => {
      const session = seededSession(size);
      const messages = plainMessages(view(session));
      const ours = oneNewEntry(session);
      const baseline = timed(() => JSON.stringify(messages), size > 50_000 ? 5 : 15);
      return {
        what: `${size.toLocaleString("en-US")} messages`,
        ours: `${ms(median(ours))} (p95 ${ms(quantile(ours, 0.95))})`,
        baseline: `${ms(median(baseline))} JSON.stringify`,
        ratio: (median(ours) / median(baseline)).toFixed(5),
        target: `${limits.get(size)}, ratio ≤ 0.1`,
      };
    });
  },
};

export const b2: Benchmark = {
  id: "B2",
  title: "view from nothing",
  run() {
    const session = seededSession(16_000);
    const messages = plainMessages(view(session));
    const ours = timed(() => void view(session).length, 15);
    const baseline = timed(() => JSON.stringify(messages), 15);
    const bytes = session
      .path()
      .reduce(
        (sum, { entry: { data } }) =>
          sum + (data.kind === "result" ? data.blocks.reduce((all, block) => all + (block.type === "text" ? bodyText(block.body).length : 0), 0) : 0),
        0,
      );
    return [
      {
        what: `16,000 messages, ${(bytes / 1e6).toFixed(1)} MB of results`,
        ours: ms(median(ours)),
        baseline: `${ms(median(baseline))} JSON.stringify`,
        ratio: (median(ours) / median(baseline)).toFixed(2),
        target: "ratio ≤ 1.5",
      },
    ];
  },
};
