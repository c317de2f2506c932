import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitrarySession, sessionOf } from "../../test/generate/sessions.ts";
import { anchors } from "../extract/index.ts";
import { entryId, type Place, type Ref, refOf, Session, textBody } from "../session/index.ts";
import { itemText, Projector, type View } from "../view/index.ts";
import { InView } from "./in-view.ts";
import { KnownAnchors } from "./known.ts";

/** What is said of a view by what is kept of it, and by a walk over all of it. */
function both(inView: InView, view: View, path: readonly Place[]) {
  const refs = path.flatMap((place) => (place.entry.data.kind === "result" ? [refOf(place) as Ref] : []));
  const counts = new Map<string, number>();
  for (const item of view) {
    if (item.kind === "result" || item.kind === "prompt") continue;
    for (const anchor of anchors(itemText(item))) counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
  }
  const indexOf = (place: Place, kinds: readonly string[]) => {
    const index = view.items.findIndex((item) => item.place === place && kinds.includes(item.kind) && (item.role === "tool" || !("ref" in item)));
    return index < 0 ? undefined : index;
  };
  const everywhere = path.flatMap((place) => texts(place).flatMap((text) => [...anchors(text)]));
  return [
    {
      whole: path.map((place) => inView.whole(place)),
      stubs: path.map((place) => inView.stub(place)),
      shown: refs.filter((ref) => inView.shows(ref)),
      counts: everywhere.map((anchor) => inView.count(anchor)),
    },
    {
      whole: path.map((place) => indexOf(place, ["result", "call", "message"])),
      stubs: path.map((place) => indexOf(place, ["stub"])),
      shown: refs.filter((ref) => view.items.some((item) => item.role === "tool" && item.ref === ref)),
      counts: everywhere.map((anchor) => counts.get(anchor) ?? 0),
    },
  ];
}

/** All texts of an entry. */
function texts({ entry: { data } }: Place): string[] {
  return [...JSON.stringify(data).matchAll(/"at":"((?:[^"\\]|\\.)*)"/g)].map((match) => JSON.parse(`"${match[1]}"`) as string);
}

test("what is kept from view to view equals a walk over the view, whichever views are looked at", () => {
  fc.assert(
    fc.property(arbitrarySession({ size: 40 }), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (entries, looks) => {
      const session = sessionOf(entries);
      for (const head of session.heads()) {
        const projector = new Projector(session);
        const inView = new InView();
        const path = session.path(head);
        for (const [index, place] of path.entries()) {
          projector.advance(place);
          if (!looks[index % 8] && place !== head) continue;
          const view = projector.view();
          inView.follow(view);
          const [kept, walked] = both(inView, view, path.slice(0, index + 1));
          expect(kept).toEqual(walked);
        }
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 150) },
  );
});

test("of a later view only what follows its first change is read", () => {
  const session = new Session({ id: "s", format: "palimpsest" });
  let reads = 0;
  let parent: string | null = null;
  const projector = new Projector(session);
  const add = (id: string, data: Parameters<Session["append"]>[0]["data"]) => {
    session.append({ id: entryId(id), parent: parent === null ? null : entryId(parent), data });
    parent = id;
    projector.advance(session.last as Place);
  };
  const source = {
    name: "counted",
    read: (start: number, end: number) => {
      reads += 1;
      return Buffer.from(`"${"x".repeat(end - start - 2)}"`);
    },
  };
  const said = (n: number) => ({ ...textBody("x".repeat(200 + n)), at: { source, start: 0, end: 202 + n, pick: [] } });
  const turn = (n: number) => {
    add(`a${n}`, { kind: "message", role: "assistant", blocks: [{ type: "text", body: said(n) }] });
    add(`c${n}`, { kind: "call", callId: `c${n}`, tool: "read", input: textBody("{}") });
    add(`r${n}`, { kind: "result", callId: `c${n}`, tool: "read", status: "ok", blocks: [{ type: "text", body: textBody(`src/file${n}.ts `.repeat(20)) }] });
  };
  for (let n = 0; n < 200; n++) turn(n);
  const inView = new InView();
  inView.follow(projector.view());
  expect(reads).toBe(200);
  add("d", { kind: "condense", targets: [entryId("r195")], stubs: [textBody("[t196 read]")], summary: textBody("[b1 t196]"), by: "extractive" });
  add("e", { kind: "epoch", cause: "cadence", applies: [entryId("d")] });
  turn(200);
  reads = 0;
  inView.follow(projector.view());
  expect(reads).toBe(6);
  expect(inView.stub(session.find(entryId("r195")) as Place)).toBe(195 * 3 + 2);
  expect(inView.whole(session.find(entryId("r194")) as Place)).toBe(194 * 3 + 2);
});

test("a plan counts on top of what is in view and leaves that as it is", () => {
  const inView = { count: (anchor: string) => (anchor === "src/a.ts" ? 1 : 0) };
  const known = new KnownAnchors(inView);
  expect([known.has("src/a.ts"), known.has("src/b.ts")]).toEqual([true, false]);
  known.forget(["src/a.ts"]);
  known.learn(["src/b.ts", "src/b.ts"]);
  known.forget(["src/b.ts"]);
  expect([known.has("src/a.ts"), known.has("src/b.ts")]).toEqual([false, true]);
  expect(new KnownAnchors(inView).has("src/a.ts")).toBe(true);
});
