// Seeded session files of any size, written record by record with the sizes, line lengths and characters that recordings have.
import { closeSync, openSync, writeSync } from "node:fs";
import { numbers } from "./sessions.ts";

/** Bytes of a piece that is written at once. */
const PIECE = 1024 * 1024;

export type FileFormat = "pi" | "claude-code";

/** What of a record is not said by the format: the next numbers, a text of a drawn length, ids. */
interface Draw {
  readonly random: () => number;
  /** Text as it stands in a JSON string, of about a median of `median` bytes with a long tail upwards. */
  readonly text: (median: number) => string;
  readonly id: () => string;
}

/** Writes a session file of at least `bytes` bytes and says how many records it holds. */
export function writeSessionFile(path: string, format: FileFormat, bytes: number, seed = 1): number {
  const file = openSync(path, "w");
  let records = 0;
  try {
    let piece: string[] = [];
    let waiting = 0;
    let written = 0;
    const flush = () => {
      written += writeSync(file, piece.join(""));
      piece = [];
      waiting = 0;
    };
    for (const record of recordsOf[format](drawOf(seed))) {
      piece.push(record, "\n");
      records += 1;
      waiting += record.length;
      if (waiting < PIECE) continue;
      flush();
      if (written >= bytes) break;
    }
  } finally {
    closeSync(file);
  }
  return records;
}

const recordsOf: Record<FileFormat, (draw: Draw) => Generator<string>> = { pi: piRecords, "claude-code": claudeCodeRecords };

/** Records of Pi: a mean of about 1,700 bytes, half of them in results. */
function* piRecords({ random, text, id }: Draw): Generator<string> {
  yield `{"type":"session","version":3,"id":"${id()}","timestamp":"2026-01-05T08:00:00.000Z","cwd":"/home/user/project"}`;
  let parent = "null";
  const record = (type: string, rest: string) => {
    const own = `"${id().slice(0, 8)}${id().slice(0, 4)}"`;
    const line = `{"type":"${type}","id":${own},"parentId":${parent},"timestamp":"2026-01-05T08:00:00.000Z",${rest}}`;
    parent = own;
    return line;
  };
  for (let turn = 0; ; turn++) {
    if (turn % 12 === 0) yield record("message", `"message":{"role":"user","content":[{"type":"text","text":"${text(150)}"}],"timestamp":1767600000000}`);
    const call = `toolu_${id()}`;
    const said =
      turn % 2 === 0
        ? `{"type":"text","text":"${text(200)}"},`
        : turn % 5 === 0
          ? `{"type":"thinking","thinking":"${text(500)}","thinkingSignature":"${id()}"},`
          : "";
    const args =
      turn % 3 === 0
        ? `{"command":"npm test -- ${id()}"}`
        : turn % 3 === 1
          ? `{"path":"src/${id()}.ts"}`
          : `{"path":"src/${id()}.ts","oldText":"${text(300)}","newText":"${text(350)}"}`;
    const usage = `{"input":${1 + (turn % 9)},"output":${Math.floor(random() * 900)},"cacheRead":${turn % 150_000},"cacheWrite":${Math.floor(random() * 4000)},"totalTokens":${turn % 150_000},"cost":{"input":0.000005,"output":0.00285,"cacheRead":0,"cacheWrite":0.2102,"total":0.2131}}`;
    yield record(
      "message",
      `"message":{"role":"assistant","content":[${said}{"type":"toolCall","id":"${call}","name":"${["bash", "read", "edit"][turn % 3]}","arguments":${args}}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":${usage},"stopReason":"toolUse","timestamp":1767600000000}`,
    );
    yield record(
      "message",
      `"message":{"role":"toolResult","toolCallId":"${call}","toolName":"${["bash", "read", "edit"][turn % 3]}","content":[{"type":"text","text":"${text(900)}"}],"isError":false,"timestamp":1767600000000}`,
    );
  }
}

/** Records of Claude Code: a mean of about 4,100 bytes, most of them in results, which stand twice in their record. */
function* claudeCodeRecords({ text, id }: Draw): Generator<string> {
  const session = uuid(id());
  let parent = "null";
  const record = (rest: string) => {
    const own = `"${uuid(id())}"`;
    const line = `{"parentUuid":${parent},"isSidechain":false,"userType":"external","cwd":"/home/user/project","sessionId":"${session}","version":"2.1.17","gitBranch":"main",${rest},"uuid":${own},"timestamp":"2026-01-05T08:00:00.000Z"}`;
    parent = own;
    return line;
  };
  for (let turn = 0; ; turn++) {
    if (turn % 8 === 0) yield record(`"type":"user","message":{"role":"user","content":"${text(250)}"}`);
    const message = `msg_${id()}`;
    const request = `req_${id()}`;
    const part = (block: string) =>
      record(
        `"message":{"model":"claude","id":"${message}","type":"message","role":"assistant","content":[${block}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":11881,"cache_read_input_tokens":${turn % 150_000},"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":11881},"output_tokens":3,"service_tier":"standard"}},"requestId":"${request}","type":"assistant"`,
      );
    yield part(`{"type":"thinking","thinking":"${text(250)}","signature":"${id()}${id()}${id()}${id()}${id()}${id()}"}`);
    if (turn % 5 < 2) yield part(`{"type":"text","text":"${text(250)}"}`);
    const call = `toolu_${id()}`;
    yield part(`{"type":"tool_use","id":"${call}","name":"Bash","input":{"command":"go test ./... -run ${id()}","description":"${text(100)}"}}`);
    if (turn % 5 > 0)
      yield record(
        `"type":"progress","data":{"type":"bash_progress","output":"${text(900)}","fullOutput":"${text(900)}","elapsedTimeSeconds":4},"parentToolUseID":"${call}","toolUseID":"${call}"`,
      );
    const output = text(2400);
    yield record(
      `"type":"user","message":{"role":"user","content":[{"tool_use_id":"${call}","type":"tool_result","content":"${output}","is_error":false}]},"toolUseResult":{"stdout":"${output}","stderr":"","interrupted":false,"isImage":false}`,
    );
  }
}

function uuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20).padEnd(12, "0")}`;
}

/** Spread of the sizes of texts: the mean is about twice the median. */
const SPREAD = 1.2;

function drawOf(seed: number): Draw {
  const random = numbers(seed);
  const pool = poolOf(random);
  const text = (median: number) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const size = Math.min(200_000, Math.round(median * Math.exp(SPREAD * normal)));
    const start = pool.indexOf("\\n", Math.floor(random() * (pool.length - 210_000))) + 2;
    const end = pool.indexOf("\\n", start + size);
    return pool.slice(start, end);
  };
  const id = () =>
    Array.from({ length: 3 }, () =>
      Math.floor(random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0"),
    ).join("");
  return { random, text, id };
}

/** Lines as tools print them, escaped as in a JSON string: one byte in twenty begins an escape, one line in fifty is not ASCII. */
function poolOf(random: () => number): string {
  const lines: string[] = [];
  for (let size = 0; size < 4 * PIECE; ) {
    const name = Math.floor(random() * 0xff_ffff).toString(36);
    const line =
      random() < 0.02
        ? `  ✓ reads ${name} from the file and gives it back (${Math.floor(random() * 90)} ms)`
        : ([
            `export function ${name}(input: string, limit = ${lines.length}): number {`,
            `\tconst found = input.indexOf("${name}", limit);`,
            `\treturn found < 0 ? limit : found + ${Math.floor(random() * 1000)};`,
            "}",
            `src/${name}/reader.ts:${lines.length}:7 - error TS2345: Argument of type 'string | undefined' is not assignable.`,
            `import { ${name} } from "./${name}.ts";`,
          ][Math.floor(random() * 6)] as string);
    lines.push(line);
    size += line.length;
  }
  return JSON.stringify(lines.join("\n")).slice(1, -1);
}
