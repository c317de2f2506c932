// What a view takes in tokens by what the provider reported of requests before it.
import { isAssistant, type Place, pathTo, type Session, type Tokens } from "../session/index.ts";
import { type Calibration, type Count, calibrated, prefixCount, type ReportedRequest, reportedInput, UNCALIBRATED } from "../tokens/index.ts";
import { Projector } from "./project.ts";

/** A count, and the model whose reports it rests on; none where nothing was reported. */
export interface ReportedCount extends Count {
  readonly model?: string;
}

/**
 * Tokens of what the model sees at `head`, by the usage that was reported on the path to it: measured, between two reports, or beyond the last.
 * An epoch changes what reports speak of; those before it still calibrate.
 *
 * ```ts
 * reportedTokens(session); // { tokens: 41_200, source: "extrapolated", model: "some-model" }
 * ```
 */
export function reportedTokens(session: Session, head: Place | null = session.head): ReportedCount {
  const projector = new Projector(session);
  let calibration: Calibration = UNCALIBRATED;
  let reports: ReportedRequest[] = [];
  let asked: Tokens = 0;
  let model: string | undefined;
  for (const place of pathTo(head)) {
    const { data } = place.entry;
    if (isAssistant(data)) asked = projector.view().tokens;
    projector.advance(place);
    if (data.kind === "epoch") reports = [];
    if (data.kind !== "usage" || data.what !== undefined || asked === 0) continue;
    model = data.model ?? model ?? "";
    calibration = calibrated(calibration, model, data, asked);
    const reported = reportedInput(data);
    if (reported > 0 && asked > (reports.at(-1)?.estimate ?? 0)) reports.push({ estimate: asked, reported });
  }
  const count = prefixCount(reports, projector.view().tokens, calibration, model ?? "");
  return { ...count, ...(model !== undefined && model !== "" && { model }) };
}
