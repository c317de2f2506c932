// condense --copy as a person runs it: what is written where, what it says, and that the copy stands alone.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { ownCommand } from "../../src/copies/index.ts";
import { answers, assistant, calls, lines, user } from "../build/claude-records.ts";
import { claudeSession } from "../build/claude-session.ts";
import { desk } from "../build/command.ts";
import { piSession, resultText } from "../build/pi-records.ts";

const { home, file, folder, run, json, clear } = desk("copy");
afterAll(clear);

const RESULTS = 14;
const COPY = { results: expect.any(Number), tokens: { before: expect.any(Number), after: expect.any(Number) }, left: expect.any(Array) };

describe("Pi", () => {
  test("a copy beside the session: it says where, how to resume, and gives every original when the session is gone", () => {
    const before = piSession(RESULTS);
    const session = file("pi/alone/session.jsonl", before);
    const { code, out, err } = run(["condense", session, "--copy"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readFileSync(session, "utf8")).toBe(before);
    const [name = ""] = readdirSync(join(home, "pi/alone")).filter((each) => each !== "session.jsonl");
    const copy = join(home, "pi/alone", name);
    expect(readdirSync(join(home, "pi/alone"))).toHaveLength(2);
    expect(out).toMatch(/\ncopy {6}\d+ results condensed.*: [\d,]+ tokens become [\d,]+\n/);
    expect(out).toContain(`\n          ${copy}\n`);
    expect(out).toMatch(/\n {10}read back and compared: \d+ facts\n/);
    expect(out).toContain(`\nresume    pi --session ${copy}\n          in /srv/app\n`);
    const [, ref = ""] = new RegExp(`\\n  ${ownCommand()} recall ${copy} (t\\d+) +the original of \\1\\n`).exec(out) ?? [];
    rmSync(session);
    for (const each of ["t1", ref]) expect(run(["recall", copy, each])).toEqual({ code: 0, err: "", out: resultText(Number(each.slice(1))) });
    const shown = run(["view", copy]).out;
    expect(shown).toContain(`── stub ${ref} read`);
    expect(shown).toContain(`── result t${RESULTS} read`);
  });

  test("PATH is a folder or a file; --json says what was written", () => {
    const session = file("pi/path/session.jsonl", piSession(RESULTS));
    const into = folder("pi/path/copies");
    const { copy } = json(["condense", session, "--copy", into]) as { copy: Record<string, unknown> };
    expect(copy).toMatchObject({ ...COPY, format: "pi", written: true, calls: 0, damaged: 0, parted: 0, files: [] });
    expect(readdirSync(into)).toEqual([basename(copy.path as string)]);
    expect(copy.resume).toBe(`pi --session ${copy.path}`);
    expect(copy.checked).toBe(RESULTS * 3 + 2);
    const named = json(["condense", session, "--copy", join(into, "mine")]) as { copy: { path: string } };
    expect(named.copy.path).toBe(join(into, "mine.jsonl"));
    expect(existsSync(named.copy.path)).toBe(true);
  });

  test("a dry run says what would be written, and writes nothing", () => {
    const session = file("pi/dry/session.jsonl", piSession(RESULTS));
    const { code, out } = run(["condense", session, "--copy", "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toMatch(/nothing was written: it would be .*\/pi\/dry\/.*\.jsonl\n$/);
    expect(json(["condense", session, "--copy", "--dry-run"]).copy).toMatchObject({ ...COPY, written: false, checked: 0 });
    expect(readdirSync(join(home, "pi/dry"))).toEqual(["session.jsonl"]);
  });

  test("nothing to condense gives no copy", () => {
    const session = file("pi/small/session.jsonl", piSession(2));
    const { code, out, err } = run(["condense", session, "--copy"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^palimpsest: nothing-to-copy: .*session\.jsonl: expected /) });
    expect(run(["condense", session, "--copy", "--dry-run"])).toMatchObject({ code: 0, err: "" });
    expect(out).toMatch(/\ncopy {6}nothing in the next request can be condensed\n {10}nothing was written\n$/);
    expect(readdirSync(join(home, "pi/small"))).toEqual(["session.jsonl"]);
  });

  test("chains are not folded in a copy, whatever the policy says, and it says so", () => {
    const session = file("pi/folds/session.jsonl", piSession(RESULTS));
    const fold = ["--set", "condense.chains.fold=true", "--set", "condense.chains.rollingWindow=0"];
    // One name for both: the note holds it, and its tokens are counted.
    const copy = `${session.slice(0, -".jsonl".length)}-copy.jsonl`;
    const [plain, folded] = [[], fold].map(
      (more) => json(["condense", session, "--copy", copy, "--dry-run", ...more]) as { tokens: object; results: { folded: number }; copy: { tokens: object } },
    );
    expect(json(["condense", session, ...fold]).results).toMatchObject({ folded: expect.any(Number) });
    expect(folded?.results.folded).toBe(0);
    expect(folded?.copy.tokens).toEqual(plain?.copy.tokens);
    expect(folded?.tokens).toEqual(plain?.tokens);
    expect(run(["condense", session, "--copy", "--dry-run", ...fold]).out).toContain("\n          chains are not folded: no copy can hold a fold\n");
  });

  test("--explain says of what was condensed before that it was", () => {
    const session = file("pi/again/session.jsonl", piSession(RESULTS));
    const { copy } = json(["condense", session, "--copy", "--keep-last", "9"]) as { copy: { path: string } };
    const { refs } = json(["condense", copy.path, "--keep-last", "3"]) as { refs: { ref: string; earlier?: true; because: string }[] };
    expect(refs.filter(({ earlier }) => earlier).map(({ ref }) => ref)).toEqual(["t1", "t2", "t3", "t4", "t5"]);
    expect(refs[0]?.because).toMatch(/^the session was condensed before/);
    expect(refs[5]?.because).toMatch(/^it was older than the newest 3 results/);
  });

  test("--keep-last and --protect leave results verbatim in the copy", () => {
    const session = file("pi/kept/session.jsonl", piSession(RESULTS));
    const { results } = json(["condense", session, "--keep-last", "3", "--protect", "src/2.ts", "--protect", "**/4.ts"]) as Record<string, unknown>;
    expect(results).toMatchObject({ total: RESULTS, condensed: RESULTS - 3 - 2, protected: 2, kept: 3 });
    expect(json(["condense", session, "--keep-last", "100"]).results).toMatchObject({ condensed: 0, kept: RESULTS });
  });

  test("a place that cannot be written to leaves nothing behind, for a dry run too", () => {
    const session = file("pi/refused/session.jsonl", piSession(RESULTS));
    const locked = folder("pi/refused/locked");
    chmodSync(locked, 0o555);
    for (const each of [home, join(home, "pi"), join(home, "pi/refused")]) chmodSync(each, 0o755);
    for (const more of [[], ["--dry-run"]]) {
      const ran = run(["condense", session, "--copy", locked, ...more], { unprivileged: true });
      expect(ran).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringMatching(/^palimpsest: copy-not-written: .*no permission/),
      });
    }
    expect(readdirSync(locked)).toEqual([]);
  });
});

describe("Claude Code", () => {
  test("a copy whose originals are gone gives no stub for an original", () => {
    const session = file(".claude/projects/-srv-lost/22222222-2222-4222-8222-222222222222.jsonl", claudeSession(RESULTS));
    const { copy } = json(["condense", session, "--copy"]) as { copy: { path: string } };
    expect(run(["recall", copy.path, "t1"]).code).toBe(0);
    rmSync(copy.path.replace(/\.jsonl$/, ""), { recursive: true });
    expect(run(["recall", copy.path, "t1"])).toMatchObject({
      code: 4,
      out: "",
      err: expect.stringContaining("originals-missing: expected the original of t1"),
    });
    expect(run(["recall", session, "t1"]).code).toBe(0);
  });

  test("condense leaves stubs alone whose originals are gone, says how many, and so does a log of it", () => {
    const session = file(".claude/projects/-srv-left/33333333-3333-4333-8333-333333333333.jsonl", claudeSession(RESULTS));
    const { copy } = json(["condense", session, "--copy", "--keep-last", "9"]) as { copy: { path: string; results: number } };
    rmSync(copy.path.replace(/\.jsonl$/, ""), { recursive: true });
    expect(copy.results).toBe(RESULTS - 9);
    const { results, refs } = json(["condense", copy.path, "--keep-last", "3"]) as { results: object; refs: { ref: string; why?: string }[] };
    expect(results).toMatchObject({ total: RESULTS, condensed: 6, lost: copy.results });
    expect(refs.filter(({ why }) => why === "original-lost").map(({ ref }) => ref)).toEqual(["t1", "t2", "t3", "t4", "t5"]);
    const { out } = run(["condense", copy.path, "--keep-last", "3", "--save", join(home, "lost"), "--explain"]);
    expect(out).toMatch(/\nlost {6}5 results are stubs of a condensed copy whose originals are gone, and left alone: put the copy's folder back beside it\n/);
    expect(out).toMatch(/\n {2}t5 .* kept +it is a stub of a condensed copy, and its original is gone/);
    expect(run(["recall", join(home, "lost.jsonl"), "t5"])).toMatchObject({ code: 4, out: "", err: expect.stringContaining("originals-missing: ") });
    expect(run(["recall", join(home, "lost.jsonl"), "t6"])).toMatchObject({ code: 0, out: resultText(6) });
    const folded = json(["condense", copy.path, "--keep-last", "3", "--set", "condense.chains.fold=true"]) as { refs: { ref: string; why?: string }[] };
    expect(folded.refs.filter(({ why }) => why === "original-lost")).toHaveLength(5);
  });

  test("what a copy cannot show is no part of its figures, and is counted in one line", () => {
    const [code, thought] = [resultText(99), { type: "thinking", thinking: resultText(98), signature: "s" }];
    const edit = [calls("edit", "Write", { file_path: "/srv/app/9.ts", content: code }), thought];
    const made = [user("u", null, "go"), assistant("w", "u", "mw/qw", edit), user("v", "w", [answers("edit", "written")])];
    const rest = claudeSession(RESULTS).split("\n").slice(1).join("\n").replace('"parentUuid":"u"', '"parentUuid":"v"');
    const session = file(".claude/projects/-srv-whole/44444444-4444-4444-8444-444444444444.jsonl", `${lines(made)}${rest}`);
    const { tokens, copy } = json(["condense", session, "--copy", "--dry-run"]) as unknown as Record<
      string,
      { after: number; tokens: { after: number }; left: object[] }
    >;
    expect(tokens?.after).toBe(copy?.tokens.after);
    expect(copy?.left).toMatchObject([
      { what: "w#1", kind: "call" },
      { what: "w#0", kind: "message" },
    ]);
    const { out } = run(["condense", session, "--copy", "--dry-run"]);
    expect(out).toMatch(/\ntokens \(estimated\) +before +in the copy +left\n/);
    expect(out).toContain(`\n          left whole: the arguments of 1 call, the thinking of 1 message: Claude Code has no record`);
    const [, headline] = /\nnext request +[\d,]+ +([\d,]+) /.exec(out) ?? [];
    expect(out).toContain(` tokens become ${headline}\n`);
    expect(out).not.toMatch(/arguments of \d+ calls? cut|thinking of \d+ messages? left out/);
  });

  test("a copy where Claude Code does not look says where to put it", () => {
    const session = file(".claude/projects/-srv-app/55555555-5555-4555-8555-555555555555.jsonl", claudeSession(RESULTS));
    const { code, out } = run(["condense", session, "--copy", folder("elsewhere")]);
    expect(code).toBe(0);
    expect(out).toMatch(/\nresume {4}not from there: Claude Code looks in ~\/\.claude\/projects\/-srv-app\n/);
    expect(json(["condense", session, "--copy", folder("elsewhere")]).copy).toMatchObject({ place: "~/.claude/projects/-srv-app" });
    expect(json(["condense", session, "--copy"]).copy).not.toHaveProperty("place");
    expect(run(["condense", session, "--copy"]).out).toMatch(/\nresume {4}claude --resume /);
  });

  test("--at cuts the copy there; what follows need not name the branch any more", () => {
    const session = file(".claude/projects/-srv-cut/66666666-6666-4666-8666-666666666666.jsonl", claudeSession(RESULTS));
    const { out } = run(["condense", session, "--copy", "--at", "r12"]);
    const [, path = ""] = /\n {10}(\S+\.jsonl)\n/.exec(out) ?? [];
    expect(json(["view", path]).head).toBe("r12");
    expect(out).not.toContain("--at");
    expect(run(["condense", session, "--at", "r12"]).out).toMatch(/ --copy --at r12 .*\n.* recall \S+ t\d+ --at r12 /);
  });

  test("a copy under an id of its own, which gives every original when the session is gone", () => {
    const projects = ".claude/projects/-srv-app";
    const session = file(`${projects}/11111111-1111-4111-8111-111111111111.jsonl`, claudeSession(RESULTS));
    const { copy, recall } = json(["condense", session, "--copy"]) as Record<string, { path: string; id: string; exact: number }>;
    expect(copy).toMatchObject({ ...COPY, format: "claude-code", written: true, calls: 0, messages: 0 });
    expect(copy?.path).toBe(join(home, projects, `${copy?.id}.jsonl`));
    expect(copy).toMatchObject({ resume: `claude --resume ${copy?.id}`, results: recall?.exact });
    rmSync(session);
    expect(run(["recall", copy?.path as string, "t1"])).toEqual({ code: 0, err: "", out: resultText(1) });
    const { items } = json(["view", copy?.path as string]) as unknown as { items: { ref?: string; kind: string }[] };
    expect(items.find(({ ref }) => ref === "t1")?.kind).toBe("stub");
  });
});

describe("what is refused", () => {
  const pi = () => file("refused/pi.jsonl", piSession(RESULTS));
  const claude = () => file("refused/claude.jsonl", claudeSession(RESULTS));
  const codex = () =>
    file("refused/codex.jsonl", lines([{ timestamp: "t", type: "session_meta", payload: { id: "11111111-1111-4111-8111-111111111111", cwd: "/" } }]));

  test.each<readonly [string, () => readonly string[], number, RegExp]>([
    [
      "a session of another agent",
      () => [codex(), "--copy"],
      2,
      /^palimpsest: copy-not-offered: .*codex\.jsonl: expected a session of Pi or Claude Code, found one of codex\./,
    ],
    [
      "a log of our own, whatever it was made from",
      () => {
        const log = join(home, "refused/log.jsonl");
        if (!existsSync(log)) expect(run(["condense", pi(), "--save", log]).out).not.toContain("--copy");
        expect(run(["condense", log]).out).not.toContain("--copy");
        return [log, "--copy"];
      },
      2,
      /^palimpsest: copy-not-offered: .*log\.jsonl: expected a session of Pi or Claude Code, found a log of Palimpsest's own \(made from one of pi\)\. Copy the session file/,
    ],
    ["standard input", () => ["-", "--copy"], 2, /^palimpsest: copy-needs-file: -: expected a session file, found a stream/],
    ["- as PATH", () => [pi(), "--copy", "-"], 2, /^palimpsest: copy-bad-path: .*found "-"/],
    ["a file that is there", () => [pi(), "--copy", pi()], 2, /^palimpsest: copy-exists: .*pi\.jsonl: .*never overwrites/],
    ["a folder that is not there", () => [pi(), "--copy", join(home, "none/")], 2, /^palimpsest: copy-not-written: .*no such folder/],
    ["the same in a dry run", () => [pi(), "--copy", join(home, "none/"), "--dry-run"], 2, /^palimpsest: copy-not-written: .*no such folder/],
    ["a file in place of the folder", () => [pi(), "--copy", join(pi(), "x"), "--dry-run"], 2, /^palimpsest: copy-not-written: .*no such folder/],
    ["Claude Code's elsewhere than among its projects", () => [claude(), "--copy"], 2, /^palimpsest: copy-needs-path: .*projects\/-srv-app/],
    ["--dry-run alone", () => [pi(), "--dry-run"], 1, /^palimpsest: usage: expected --copy beside --dry-run/],
    ["--dry-run with --save", () => [pi(), "--copy", "--dry-run", "--save", "x"], 1, /^palimpsest: usage: expected --dry-run or --save, found both/],
    ["FILE behind --copy", () => ["--copy", pi()], 1, /^palimpsest: usage: expected a session FILE, found ".*pi\.jsonl" as the PATH of --copy/],
  ])("%s", (_, args, code, err) => {
    const given = args();
    const before = readdirSync(join(home, "refused"));
    const ran = run(["condense", ...given], { input: piSession(RESULTS) });
    expect(ran).toMatchObject({ code, err: expect.stringMatching(err) });
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(readdirSync(join(home, "refused"))).toEqual(before);
  });
});

test("a reader that closes the pipe gets no half copy: it is whole before the report is printed", () => {
  const session = file("pi/piped/session.jsonl", piSession(RESULTS));
  const into = folder("pi/piped/copies");
  const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));
  spawnSync("sh", ["-c", `"${process.execPath}" "${bin}" condense "${session}" --copy "${into}" | head -n 1`], { encoding: "utf8" });
  const left = readdirSync(into);
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(left).toHaveLength(1);
  expect(run(["condense", session, "--protect", ""])).toMatchObject({ code: 1, err: expect.stringContaining("expected a glob") });
});
