import { expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { atOnce } from "../session/index.ts";
import { itemText, type View } from "../view/index.ts";
import { byMask } from "./mask.ts";

function viewsOf(log: Log): readonly { readonly full: View; readonly small: View }[] {
  const views: { full: View; small: View }[] = [];
  atOnce(byMask(log.session, log.session.head, ({ full, small }) => views.push({ full, small })));
  return views;
}

function masked(view: View): string[] {
  return view.items.flatMap((item) => (item.kind === "stub" ? [itemText(item)] : []));
}

test("every twenty results all but the newest ten become one line", () => {
  const log = new Log();
  for (let at = 0; at < 41; at++) log.step(`c${at}`, at === 3 ? "small" : `a long enough result, number ${at}, with words and more words`);
  log.assistant();
  const views = viewsOf(log);
  expect(views).toHaveLength(42);
  const counts = views.map(({ small }) => masked(small).length);
  expect(counts.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 0));
  expect([counts[20], counts[39], counts[40], counts[41]]).toEqual([9, 9, 29, 29]);
  expect(masked(views[20]?.small as View)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10].map((ref) => `[t${ref} read: output left out]`));
  expect(masked(views[41]?.full as View)).toEqual([]);
});
