// Progress on stderr for what takes longer than a second: a line that is overwritten where a person watches, plain lines elsewhere.
import { type Steps, withPauses } from "../session/index.ts";

const QUIET_MS = 1000;
const EVERY_MS = { terminal: 100, elsewhere: 5000 };

export interface Progress {
  update(text: string): void;
  done(): void;
}

export function progress(label: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const started = Date.now();
  const terminal = stream.isTTY === true;
  let last = started + QUIET_MS - (terminal ? EVERY_MS.terminal : EVERY_MS.elsewhere);
  let shown = false;
  return {
    update(text) {
      const now = Date.now();
      if (now - last < (terminal ? EVERY_MS.terminal : EVERY_MS.elsewhere)) return;
      last = now;
      shown = true;
      stream.write(terminal ? `\r\x1b[K${label}: ${text}` : `${label}: ${text}\n`);
    },
    done() {
      if (shown && terminal) stream.write("\r\x1b[K");
    },
  };
}

/** Does work in steps, with progress where a person watches, and with pauses in which the command can be cancelled. */
export async function inSteps<Result>(label: string, steps: Steps<Result>): Promise<Result> {
  const bar = process.stderr.isTTY ? progress(label) : undefined;
  try {
    return await withPauses(steps, (share) => bar?.update(`${Math.floor(share * 100)}%`));
  } finally {
    bar?.done();
  }
}
