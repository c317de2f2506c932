// The bytes of one value → a record, with what is noticed on the way.
import { isUtf8 } from "node:buffer";
import { type Bytes, type RecordRange, sha256 } from "../../session/index.ts";
import type { RawRecord } from "../reader.ts";
import { type Oversized, oversized } from "./open-value.ts";
import { parsed } from "./salvage.ts";
import type { ScanSink } from "./sink.ts";

/** A record of bytes at hand, or of what is left of a value too large to hold; undefined where the bytes are no JSON. */
export function recordOf(
  contents: Buffer | Oversized,
  place: Omit<RecordRange, "sha256">,
  limit: Bytes,
  sink: Pick<ScanSink, "diagnostic">,
): RawRecord | undefined {
  const notice = (code: string, message: string) => {
    const { source, line, start, end } = place;
    sink.diagnostic({ code, message, file: source.name, line, start, end });
  };
  if ("sha256" in contents || contents.length > limit) {
    const { sha256, head, tail } = "sha256" in contents ? contents : oversized(contents);
    const size = place.end - place.start;
    notice("oversized", `expected a value of at most ${limit} bytes, found one of ${size}. It is kept as a stub with its place; its text is not read.`);
    return { range: { ...place, sha256 }, value: undefined, oversized: { head, tail } };
  }
  const text = contents.toString("utf8");
  const value = parsed(text);
  if (value === undefined) return undefined;
  if (text.includes("\ufffd") && !isUtf8(contents))
    notice("invalid-utf8", "expected UTF-8, found other bytes inside a record. It is kept; each of them reads as U+FFFD.");
  const { source, line, start, end } = place;
  return { range: { source, line, start, end, sha256: sha256(contents) }, value };
}
