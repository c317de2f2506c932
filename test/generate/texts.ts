// The texts of generated sessions: each names the entry it belongs to, so that a test can tell them apart.
import type { Body } from "../../src/session/index.ts";
import { textBody } from "../../src/session/index.ts";
import type { Shape } from "./commands.ts";

/** A text of this shape that belongs to `owner`. Only `empty` and `same` repeat. */
function words(shape: Shape, owner: string): string {
  switch (shape) {
    case "short":
      return `text of ${owner}`;
    case "empty":
      return "";
    case "same":
      return `the same words, again and again, ${"in many results ".repeat(12)}`;
    case "long":
      return Array.from({ length: 12 }, (_, line) => `${owner} line ${line}: src/part-${line}.ts was read and holds a "quoted" word`).join("\n");
    case "wide":
      return `${owner} größer 漢字 😀 \u2028\u0000\t`.repeat(9);
    case "lone":
      return `${owner} half a pair \ud83d ${"and more ".repeat(20)}`;
    case "ref":
      return `t1 b1 [t2 not a stub, only words of ${owner}]`;
  }
}

export function body(shape: Shape, owner: string): Body {
  return textBody(words(shape, owner));
}
