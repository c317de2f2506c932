// B6: the estimator: how fast, how near the exact tokenizer, and how near what providers report once it is calibrated.
import { basename } from "node:path";
import { openSession } from "../src/formats/index.ts";
import { isAssistant, type Place, type Session } from "../src/session/index.ts";
import {
  type Calibration,
  type Counter,
  calibrated,
  calibrationFactor,
  estimate,
  exactCounter,
  occupancy,
  reportedInput,
  UNCALIBRATED,
} from "../src/tokens/index.ts";
import { itemText, Projector, view } from "../src/view/index.ts";
import { type Benchmark, median, quantile, type Row, timed } from "./harness.ts";
import { recordingFiles } from "./recordings.ts";
import { seededTexts } from "./texts.ts";

const SIZE = 200_000;
/** Requests that a calibration is made from, and how many are sent between them and the one that it is tried on. */
const CALLS = 5;
const BETWEEN = 10;

export const b6: Benchmark = {
  id: "B6",
  title: "the estimator by kind of text, on whole sessions, and occupancy against what was reported",
  async run() {
    const exact = await exactCounter();
    const rows = [...seededTexts(SIZE)].map(({ name, text }) => kindRow(name, text, exact));
    return [...rows, ...(await sessionRows(exact))];
  },
};

function kindRow(name: string, text: string, exact: Counter): Row {
  const megabytes = Buffer.byteLength(text) / 1e6;
  const counted = exact(text);
  const ours = megabytes / (median(timed(() => void estimate(text, "o200k"), 25, 50)) / 1000);
  const baseline = megabytes / (median(timed(() => void exact(text), 3, 1)) / 1000);
  return {
    what: name,
    ours: `${ours.toFixed(0)} MB/s, ${off(estimate(text, "o200k"), counted)}`,
    baseline: `exact ${baseline.toFixed(1)} MB/s, length ÷ 4 ${off(text.length / 4, counted)}`,
    ratio: (ours / baseline).toFixed(0),
    target: "≥ 100 MB/s, ±10 %",
  };
}

async function sessionRows(exact: Counter): Promise<readonly Row[]> {
  const files = recordingFiles();
  if (files.length === 0) return [{ what: "no recorded sessions beside the project", ours: "not measured", baseline: "", ratio: "", target: "" }];
  const rows: Row[] = [];
  for (const file of files) {
    const opened = await openSession(file).catch(() => undefined);
    if (!opened) continue;
    rows.push(...wholeRow(basename(file), opened.session, exact), ...reportedRow(basename(file), opened.session));
    opened.close();
  }
  return rows;
}

/** The last request of a session, calibrated by exact counts of five that were sent well before it. */
function wholeRow(what: string, session: Session, exact: Counter): readonly Row[] {
  const requests = session.path().flatMap((place) => (isAssistant(place.entry.data) && place.parent ? [place.parent] : []));
  const last = requests.at(-1);
  const known = requests.slice(0, -1 - BETWEEN).slice(-CALLS);
  if (!last || known.length < CALLS) return [];
  let calibration: Calibration = UNCALIBRATED;
  for (const place of known) {
    const text = textAt(session, place);
    calibration = calibrated(calibration, "exact", { input: exact(text), cacheRead: 0, cacheWrite: 0 }, estimate(text, "o200k"));
  }
  const text = textAt(session, last);
  const counted = exact(text);
  const estimated = estimate(text, "o200k");
  return [
    {
      what: `${what}: last request, ${counted.toLocaleString("en-US")} tokens`,
      ours: `${off(estimated * calibrationFactor(calibration, "exact"), counted)} calibrated`,
      baseline: `${off(estimated, counted)} as estimated`,
      ratio: "",
      target: "±5 %",
    },
  ];
}

function textAt(session: Session, head: Place): string {
  return view(session, head)
    .items.map((item) => itemText(item))
    .join("\n");
}

/** Occupancy before each request against what was then reported of it. */
function reportedRow(what: string, session: Session): readonly Row[] {
  const errors = occupancyErrors(session).sort((a, b) => a - b);
  if (errors.length < CALLS) return [];
  return [
    {
      what: `${what}: occupancy of ${errors.length} requests`,
      ours: `median ${percent(median(errors))} off, p95 ${percent(quantile(errors, 0.95))}`,
      baseline: "what the provider reported",
      ratio: "",
      target: "median ≤ 5 %",
    },
  ];
}

/** How far off each prediction was, as a part of what was reported. The first request of a session has nothing to go by and is left out. */
function occupancyErrors(session: Session): number[] {
  const projector = new Projector(session);
  const errors: number[] = [];
  let calibration: Calibration = UNCALIBRATED;
  let before: { readonly tokens: number; readonly reported: number } | undefined;
  let asked = 0;
  for (const place of session.path()) {
    const { data } = place.entry;
    if (isAssistant(place.entry.data)) asked = projector.view().tokens;
    projector.advance(place);
    if (data.kind !== "usage" || data.what !== undefined || reportedInput(data) === 0 || asked === 0) continue;
    const model = data.model ?? "unknown";
    const reported = reportedInput(data);
    if (before) {
      const change = asked - before.tokens;
      const { tokens } = occupancy({
        model,
        calibration,
        reported: before.reported,
        added: Math.max(0, change),
        removed: Math.max(0, -change),
        whole: asked,
        window: 200_000,
      });
      errors.push(Math.abs(tokens / reported - 1));
    }
    calibration = calibrated(calibration, model, data, asked);
    before = { tokens: asked, reported };
  }
  return errors;
}

function off(estimated: number, counted: number): string {
  const share = (estimated / counted - 1) * 100;
  return `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(1)} %`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
