// Runs the command as a person does, in a folder and a home of its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../bin/palimpsest.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** As a user without rights, where the tests run as root. */
  readonly unprivileged?: boolean;
}

export interface Desk {
  readonly home: string;
  /** Writes a file below the home, and gives its path. */
  file(path: string, content: string | Buffer): string;
  folder(path: string): string;
  run(args: readonly string[], options?: RunOptions): Ran;
  /** The object that a command prints with --json. @throws where it prints none */
  json(args: readonly string[], options?: RunOptions): Record<string, unknown>;
  clear(): void;
}

const NOBODY = { uid: 65534, gid: 65534 };

export function desk(name: string): Desk {
  const home = realpathSync(mkdtempSync(join(tmpdir(), `palimpsest-${name}-`)));
  function run(args: readonly string[], { cwd = home, input = "", variables = {}, unprivileged = false }: RunOptions = {}): Ran {
    const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC", ...variables };
    const who = unprivileged && process.geteuid?.() === 0 ? NOBODY : {};
    const ran = spawnSync(process.execPath, [bin, ...args], { cwd, env, input, encoding: "utf8", maxBuffer: 1 << 28, ...who });
    return { code: ran.status, out: ran.stdout, err: ran.stderr };
  }
  function folder(path: string): string {
    const whole = join(home, path);
    mkdirSync(whole, { recursive: true });
    return whole;
  }
  return {
    home,
    run,
    folder,
    file(path, content) {
      const whole = join(home, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, content);
      return whole;
    },
    json(args, options) {
      const { out, err } = run([...args, "--json"], options);
      if (out === "") throw new Error(`no JSON came: ${err}`);
      return JSON.parse(out) as Record<string, unknown>;
    },
    clear: () => rmSync(home, { recursive: true, force: true }),
  };
}
