// The help as a person reads it.
import { expect, test } from "vitest";
import { EXIT } from "./exit.ts";
import { program } from "./program.ts";

test("the help names every exit code", () => {
  let help = "";
  const command = program("1.0.0").configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const codes = /Exit codes: (.*)/.exec(help)?.[1] ?? "";
  expect([...codes.matchAll(/(?:^|, )(\d+) /g)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
});
