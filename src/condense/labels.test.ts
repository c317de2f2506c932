import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { table } from "../../test/vectors/condense.ts";
import { fencedLines } from "./fences.ts";
import { footer, label, substituteInlineRefs } from "./labels.ts";
import { serializeBatch } from "./serialize.ts";

interface Row {
  readonly id: string;
  readonly text: string;
  readonly refs: readonly string[];
  readonly tools: readonly string[];
}
interface Labels {
  readonly substitute: readonly (Row & { readonly expected: string; readonly compare?: "trimEnd" })[];
  readonly noLabelLeft: readonly Row[];
  readonly serialize: readonly {
    readonly id: string;
    readonly path: readonly { readonly result: string; readonly tool: string }[];
    readonly batches: readonly {
      readonly members: readonly string[];
      readonly duplicates?: readonly string[];
      readonly expected: { readonly labels: readonly string[]; readonly results: readonly string[]; readonly refs: readonly string[] };
    }[];
  }[];
  readonly footer: readonly { readonly id: string; readonly refs: readonly string[]; readonly expected: string }[];
  readonly whole: readonly (Row & { readonly expected: string })[];
}

const labels = table<Labels>("labels");
const LABEL = /\[\[\d+:[^\]\n]+\]\]/;

/** Labels outside fenced code. */
function leaked(text: string): string[] {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  return lines.filter((line, at) => !fenced[at] && LABEL.test(line));
}

function ends(text: string): string {
  return text.replace(/[ \t\r]+$/gm, "");
}

describe("the table", () => {
  test.each(labels.substitute)("substitute: $id", ({ text, refs, tools, expected, compare }) => {
    const result = substituteInlineRefs(text, refs, tools);
    if (compare === "trimEnd") expect(ends(result)).toBe(ends(expected));
    else expect(result).toBe(expected);
  });

  test.each(labels.noLabelLeft)("no label left: $id", ({ text, refs, tools }) => {
    expect(substituteInlineRefs(text, refs, tools)).not.toMatch(LABEL);
  });

  test.each(labels.serialize)("serialize: $id", ({ path, batches }) => {
    for (const { members, duplicates = [], expected } of batches) {
      const kept = members.filter((id) => !duplicates.includes(id));
      const results = kept.map((id) => ({
        id,
        ref: path.findIndex((each) => each.result === id) + 1,
        tool: path.find((each) => each.result === id)?.tool ?? "",
      }));
      const text = serializeBatch({ said: "", results: results.map(({ id, tool }) => ({ tool, input: "{}", status: "ok", text: `text of ${id}` })) });
      expect(text.match(/^\[\[\d+:[^\]\n]+\]\](?= Tool: )/gm)).toEqual(expected.labels);
      expect(text.match(/(?<=text of )r\d+/g)).toEqual(expected.results);
      const summary = expected.labels.map((each) => `- ${each} done`).join("\n");
      const refs = results.map(({ ref }) => `t${ref}`);
      expect(
        substituteInlineRefs(
          summary,
          refs,
          results.map(({ tool }) => tool),
        ),
      ).toBe(expected.refs.map((ref) => `- \`${ref}\` done`).join("\n"));
    }
  });

  test.each(labels.footer)("footer: $id", ({ refs, expected }) => {
    expect(footer(refs)).toBe(expected);
  });

  test.each(labels.whole)("whole: $id", ({ text, refs, tools, expected }) => {
    expect(substituteInlineRefs(text, refs, tools) + footer(refs)).toBe(expected);
  });
});

describe("a label", () => {
  test.each([
    ["a bracket in a tool's name would close its label", "a[0]", "[[1:a[0_]]"],
    ["a line break in a tool's name would end its line", "a\r\nb\nc", "[[1:a_b_c]]"],
    ["a tool without a name would have no label", "", "[[1:_]]"],
  ])("%s", (_, tool, expected) => {
    expect(label(1, tool)).toBe(expected);
    expect(substituteInlineRefs(`- ${expected} x`, ["t7"], [tool])).toBe("- `t7` x");
  });
});

describe("what goes wrong in a summary", () => {
  test("a label made by taking out another one leaks", () => {
    for (const text of [
      "[[[[1:a]]1:b]]",
      "x [[1[[2:a]]:b]] y",
      "x [[1:a[[2:b]]]",
      "[[[[[[1:a]]1:a]]1:a]]",
      "x [[2:b[[1:a]]c]]",
      "[[1:a][[2:b]]]",
      "x [[1:a][[2:b]] ] [[1:c][[2:d]]]",
    ])
      expect(substituteInlineRefs(text, [], [])).not.toMatch(LABEL);
  });

  test("a stray fence hides the labels below it", () => {
    expect(substituteInlineRefs("```\n- [[1:read]] x\n~~~\n- [[1:read]] y", ["t1"], ["read"])).toBe("```\n- `t1` x\n~~~\n- `t1` y");
  });

  test("code within a line passes for the start of a fence", () => {
    expect(substituteInlineRefs("```x` y\n- [[1:read]] x\n```", ["t1"], ["read"])).toBe("```x` y\n- `t1` x\n```");
    expect(substituteInlineRefs("~~~x` y\n- [[1:read]] x\n~~~", ["t1"], ["read"])).toBe("~~~x` y\n- [[1:read]] x\n~~~");
  });

  test("taking out a label makes a fence that was none, and what was code becomes text", () => {
    const text = "[[9:read]]```\n```\n[[1:read]] x\n```\n[[1:read]] y";
    const result = substituteInlineRefs(text, ["t1"], ["read"]);
    expect(result).toBe("\\```\n```\n[[1:read]] x\n```\n`t1` y");
    expect(leaked(result)).toEqual([]);
    expect(substituteInlineRefs("```\n[[1:read]] x\n```[[9:x]]", ["t1"], ["read"])).toBe("```\n`t1` x\n\\```");
  });

  test("half of a character outside the basic plane is lost with a label", () => {
    expect(substituteInlineRefs("x \ud83d [[1:a]] \ude80 \ufeff", [], [])).toBe("x \ud83d \ude80 \ufeff");
    expect(substituteInlineRefs("\ufeff**[[1:a]]**", [], [])).toBe("\ufeff****");
  });
});

describe("any summary", () => {
  const piece = fc.constantFrom(
    "[[",
    "]]",
    "]",
    "[",
    "1",
    "2:",
    ":",
    "read",
    "[[1:read]]",
    "[[2:bash]]",
    "[[9:read]]",
    "\n",
    "\n",
    "```",
    "~~~",
    "````",
    "`",
    "- ",
    " ",
    "   ",
    "\t",
    "\r\n",
    "x",
  );
  const summary = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const substituted = (text: string) => substituteInlineRefs(text, ["t1", "t2"], ["read", "bash"]);

  test("no label is left outside fenced code", () => {
    fc.assert(
      fc.property(summary, (text) => leaked(substituted(text)).length === 0),
      { numRuns: 5000 },
    );
  });

  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(summary, (text) => {
        const once = substituted(text);
        expect(substituted(once)).toBe(once);
      }),
      { numRuns: 5000 },
    );
  });

  test("fenced code is the same before and after, and lines without a label are not touched", () => {
    fc.assert(
      fc.property(summary, (text) => {
        const before = text.split("\n");
        const after = substituted(text).split("\n");
        const fenced = fencedLines(before);
        expect(after).toHaveLength(before.length);
        expect(fencedLines(after)).toEqual(fenced);
        before.forEach((line, at) => {
          if (fenced[at] || !LABEL.test(line)) expect(after[at]).toBe(line);
        });
      }),
      { numRuns: 5000 },
    );
  });

  test("a line without leading label is what repeated removal leaves", () => {
    const inner = fc.array(fc.constantFrom("[[", "]]", "]", "[", "1", "2:", ":", "a", "[[1:a]]", " "), { maxLength: 30 });
    const repeated = (line: string): string => {
      const less = line.replace(/\[\[\d+:[^\]\n]+\]\]\s*/, "");
      return less === line ? line : repeated(less);
    };
    fc.assert(
      fc.property(inner, (pieces) => {
        const line = `x${pieces.join("")}y`;
        expect(substituted(line)).toBe(repeated(line));
      }),
      { numRuns: 5000 },
    );
  });

  test("large hostile lines come to an end: work grows with the text, not with its square", () => {
    const n = 100_000;
    for (const text of ["[[", "[[1:", "[[1:a", "]]", "[[1:a]]", "[[1", "1:", " ", "- ", "```\n", "`", "~~~[[1:a]]\n", "[[11111:]"]) {
      const whole = `${text.repeat(n / text.length)}]]`;
      expect(leaked(substituted(whole))).toEqual([]);
    }
    const nested = `${"[[1:".repeat(20_000)}a${"]]".repeat(20_000)}`;
    expect(substituted(nested)).not.toMatch(LABEL);
    const towers = `x${"[[".repeat(20_000)}${"1:a]]".repeat(20_000)}`;
    expect(substituted(towers)).toBe("x");
  });
});
