import { expect, test } from "vitest";
import { type Entry, entryId, isAssistant, Session } from "../session/index.ts";
import { type Moment, Times } from "./times.ts";

type Event = readonly ["user" | "assistant" | "model_change" | "other", number?];

/** The moments of all requests; times are in seconds. */
function moments(events: readonly Event[]): Moment[] {
  const session = new Session({ id: "made", format: "palimpsest" });
  for (const [at, [kind, seconds]] of events.entries()) {
    const data: Entry["data"] = kind === "user" || kind === "assistant" ? { kind: "message", role: kind, blocks: [] } : { kind: "marker", what: kind };
    session.append({ id: entryId(`e${at}`), parent: at === 0 ? null : entryId(`e${at - 1}`), data, ...(seconds !== undefined && { time: seconds * 1000 }) });
  }
  const path = session.path();
  const times = new Times(path);
  return path.filter(({ entry }) => isAssistant(entry.data)).map((place) => times.request(place));
}

test.each<[string, readonly Event[], readonly Moment[]]>([
  [
    "a request is made when the newest entry before it came",
    [
      ["user", 10],
      ["assistant", 15],
    ],
    [{ at: 10, lost: false, cold: false }],
  ],
  [
    "cold after more than five minutes",
    [
      ["user", 0],
      ["assistant", 1],
      ["user", 300],
      ["assistant", 301],
      ["user", 601],
      ["assistant", 602],
    ],
    [
      { at: 0, lost: false, cold: false },
      { at: 300, lost: false, cold: false },
      { at: 601, lost: false, cold: true },
    ],
  ],
  [
    "a time that runs backwards is passed over",
    [["user", 100], ["assistant", 101], ["user", 50], ["assistant"]],
    [
      { at: 100, lost: false, cold: false },
      { at: 101, lost: false, cold: false },
    ],
  ],
  [
    "a change of model loses the cache, once",
    [
      ["user", 0],
      ["assistant", 1],
      ["model_change", 2],
      ["user", 3],
      ["assistant", 4],
      ["user", 5],
      ["assistant", 6],
    ],
    [
      { at: 0, lost: false, cold: false },
      { at: 3, lost: true, cold: true },
      { at: 5, lost: false, cold: false },
    ],
  ],
  [
    "other markers say nothing of time",
    [
      ["user", 0],
      ["other", 900],
      ["assistant", 1],
    ],
    [{ at: 0, lost: false, cold: false }],
  ],
  ["without times a cache lives", [["user"], ["assistant"]], [{ lost: false, cold: false }]],
])("%s", (_, events, expected) => {
  expect(moments(events)).toEqual(expected);
});
