import { expect, test } from "vitest";
import { Log } from "../../test/build/log.ts";
import { AT_THE_END } from "../../test/build/policies.ts";
import { condense } from "./condense.ts";
import { unmatchedGlobs } from "./unmatched.ts";

test("globs that match no file which a call named, even where another glob protects the same file", () => {
  const log = new Log();
  log.user("go");
  log.assistant();
  log.call("c", "read", { path: "/srv/app/skills/a.md" });
  log.result("c", "all");
  const { results } = condense(log.session, { ...AT_THE_END, protectedPaths: ["/**/skills/*.md"] });
  expect(results).toHaveLength(1);
  expect(unmatchedGlobs(["**/skills/*.md", "/srv/app/**", "**/AGENTS.md", "**/skills/*.txt"], results)).toEqual(["**/AGENTS.md", "**/skills/*.txt"]);
});
