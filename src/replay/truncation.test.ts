import { expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { itemText } from "../view/index.ts";
import type { Followed } from "./follow.ts";
import { byTruncation } from "./truncation.ts";

test("of a long result the head, its ref and the tail are shown from its first request on; a short one is whole", () => {
  const log = new Log();
  log.user("go");
  log.step("c1", `${"a".repeat(1500)}${"b".repeat(1500)}`);
  log.step("c2", "c".repeat(2000));
  log.assistant("done");
  const seen: Followed[] = [];
  const steps = byTruncation(log.session, log.session.head, (request) => seen.push(request));
  while (!steps.next().done);
  const shown = (request: Followed | undefined) => request?.small.items.filter(({ role }) => role === "tool").map(itemText);
  const cut = `${"a".repeat(1000)}\n[t1: cut]\n${"b".repeat(1000)}`;
  expect(shown(seen[1])).toEqual([cut]);
  expect(shown(seen[2])).toEqual([cut, "c".repeat(2000)]);
});
