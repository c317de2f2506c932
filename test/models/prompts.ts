// Each prompt with a small example in it, as the documents show it.
import { batchPrompt, type Prompt, rangePrompt, windowPrompt } from "../../src/condense/model/prompts.ts";

export function examplePrompts(): readonly Prompt[] {
  return [
    batchPrompt({
      said: "I run the tests first.",
      results: [
        { tool: "bash", input: '{"command":"npm test"}', status: "error", text: "FAIL src/range.test.ts\nAssertionError: expected 3 to be 4\n" },
        { tool: "read", input: '{"path":"src/range.ts"}', status: "ok", text: "export function parseRange(text: string) {}\n" },
      ],
    }),
    windowPrompt({ tool: "bash", input: '{"command":"cargo build"}', text: "error[E0382]: borrow of moved value: `plan`\n", part: 3, parts: 4 }),
    rangePrompt(["- `t1` tests fail in src/range.test.ts", "- `t2` `parseRange` stands in src/range.ts\n- `t3` the edit went in"]),
  ];
}
