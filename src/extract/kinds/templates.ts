// Lines that say the same with other values, found in one pass: by their number of words, by how they begin, by how many words are equal.
import type { Line } from "../normalise.ts";

/** Characters and words of a line that are compared. */
const LOOKED_AT = 600;
const WORDS = 80;
/** Templates of one number of words and one beginning; a further line joins the nearest. */
const PER_LEAF = 24;
/** Equal words of all, from which on two lines are of one template. */
const ALIKE = 0.6;
/** Distinct values of one place that are counted; beyond them they are any. */
const VALUES = 24;
/** A value this far from the mean, in deviations, is shown with its line; from this many lines on. */
const FAR = 5;
const ENOUGH = 20;

/** A value that stands at one place, and where it was first met. */
interface Value {
  count: number;
  /** Index of the line, and where in it the value begins and ends. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** The values that stand at one place of a template. */
interface Place {
  /** Of words that are one number with the same text around it; the first that is none ends the measure. */
  measured: boolean;
  lines: number;
  min: number;
  max: number;
  /** Indexes of the lines that hold them. */
  minAt: number;
  maxAt: number;
  mean: number;
  /** Sum of the squared differences from the mean. */
  spread: number;
  /** How often each value came, by its hash; undefined once there are too many. */
  values: Map<number, Value> | undefined;
}

export interface Template {
  /** Index of the first line. */
  readonly first: number;
  /** Lines of the text; those that are the same count each. */
  count: number;
  /** Number of the last line. */
  last: number;
  /** Hash of each word without its number; `VALUE` where words differ from line to line. */
  readonly words: Int32Array;
  /** Hash of each word of the first line. */
  readonly exact: Int32Array;
  /** Where the first line's words begin and end. */
  readonly spans: Int32Array;
  readonly places: (Place | undefined)[];
}

/** The hash of a word that is a value. */
const VALUE = 0;

const BREAK = breakTable();

function breakTable(): Uint8Array {
  const table = new Uint8Array(128);
  for (const sign of " \t,\"=()[]{};|<>'`") table[sign.charCodeAt(0)] = 1;
  return table;
}

/** The words of the line that was cut last. One at a time: nothing is allocated for a line whose template is known. */
const hashes = new Int32Array(WORDS);
const exact = new Int32Array(WORDS);
const spans = new Int32Array(WORDS * 2);
const numbers = new Float64Array(WORDS);

/** Cuts a line into words; returns how many. A word's hash leaves out its number; a word with several numbers is a value. */
function cut(text: string): number {
  const end = Math.min(text.length, LOOKED_AT);
  let count = 0;
  let at = 0;
  while (at < end && count < WORDS) {
    let code = text.charCodeAt(at);
    if (code < 128 && BREAK[code] === 1) {
      at += 1;
      continue;
    }
    const start = at;
    let hash = 0x811c9dc5 | 0;
    let full = hash;
    let runs = 0;
    let value = 0;
    let scale = 0;
    let inside = false;
    for (; at < end; at++) {
      code = text.charCodeAt(at);
      if (code < 128 && BREAK[code] === 1) break;
      full = Math.imul(full ^ code, 0x01000193);
      if (code >= 48 && code <= 57) {
        if (!inside) {
          runs += 1;
          value = 0;
          scale = 0;
          inside = true;
          hash = Math.imul(hash ^ 48, 0x01000193);
        }
        value = value * 10 + (code - 48);
        if (scale > 0) scale *= 10;
        continue;
      }
      if (inside && code === 46 && scale === 0 && isDigit(text.charCodeAt(at + 1))) {
        scale = 1;
        continue;
      }
      inside = false;
      hash = Math.imul(hash ^ code, 0x01000193);
    }
    hashes[count] = runs > 1 ? VALUE : hash === VALUE ? 1 : hash;
    exact[count] = full;
    numbers[count] = runs === 1 ? (scale > 1 ? value / scale : value) : Number.NaN;
    spans[count * 2] = start;
    spans[count * 2 + 1] = at;
    count += 1;
  }
  return count;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Words that say how grave a line is: never taken for values. */
const LEVEL = /^(?:trace|debug|info|notice|warn|warning|err|error|crit|critical|alert|emerg|fatal|panic|fail|failed|failure|ok|success)$/i;
const LEVEL_LENGTH = 8;

/**
 * The templates of the lines that `chosen` names by index, in order of their first line. Linear in the text: a line is compared with a
 * bounded number of templates. `alike`: equal words of all that are no values, from which on two lines are of one template.
 */
export function templatesOf(lines: readonly Line[], chosen: (at: number) => boolean, alike = ALIKE): readonly Template[] {
  const found: Template[] = [];
  const leaves = new Map<number, Template[]>();
  const levels = new Map<number, boolean>();
  for (let at = 0; at < lines.length; at++) {
    if (!chosen(at)) continue;
    const line = lines[at] as Line;
    const count = cut(line.text);
    if (count === 0) continue;
    const key = leafOf(line.text, count, levels);
    let leaf = leaves.get(key);
    if (!leaf) {
      leaf = [];
      leaves.set(key, leaf);
    }
    const template = nearest(leaf, count, alike);
    if (template) join(template, line, at, count);
    else {
      const made = open(line, at, count);
      leaf.push(made);
      found.push(made);
    }
  }
  return found;
}

/** Number of words, how the line begins, and the words of its levels. */
function leafOf(text: string, count: number, levels: Map<number, boolean>): number {
  let key = count;
  let first = true;
  for (let word = 0; word < count; word++) {
    const hash = hashes[word] as number;
    if (hash === VALUE) continue;
    const length = (spans[word * 2 + 1] as number) - (spans[word * 2] as number);
    if (first || (length <= LEVEL_LENGTH && isLevel(text, word, hash, levels))) key = Math.imul(key ^ hash, 0x01000193) + word;
    first = false;
  }
  return key;
}

function isLevel(text: string, word: number, hash: number, levels: Map<number, boolean>): boolean {
  const known = levels.get(hash);
  if (known !== undefined) return known;
  const level = LEVEL.test(text.slice(spans[word * 2], spans[word * 2 + 1]).replace(/:$/, ""));
  if (levels.size < 10_000) levels.set(hash, level);
  return level;
}

function nearest(leaf: readonly Template[], count: number, enough: number): Template | undefined {
  let best: Template | undefined;
  let most = -1;
  for (const template of leaf) {
    if (template.words.length !== count) continue;
    let equal = 0;
    let compared = 0;
    for (let word = 0; word < count; word++) {
      const hash = template.words[word] as number;
      const own = hashes[word] as number;
      if (hash === VALUE) continue;
      compared += 1;
      if (hash === own) equal += 1;
    }
    const alike = compared === 0 ? 1 : equal / compared;
    if (alike > most) {
      most = alike;
      best = template;
      if (alike === 1) break;
    }
  }
  return most >= enough || leaf.length >= PER_LEAF ? best : undefined;
}

function open({ number, last }: Line, at: number, count: number): Template {
  const times = last - number + 1;
  const template: Template = {
    first: at,
    count: times,
    last,
    words: hashes.slice(0, count),
    exact: exact.slice(0, count),
    spans: spans.slice(0, count * 2),
    places: new Array<Place | undefined>(count).fill(undefined),
  };
  for (let word = 0; word < count; word++) {
    if (hashes[word] !== VALUE && Number.isNaN(numbers[word] as number)) continue;
    const made = emptyPlace();
    template.places[word] = made;
    note(made, at, word, times);
  }
  return template;
}

function join(template: Template, { number, last }: Line, at: number, count: number): void {
  const times = last - number + 1;
  const { words, places } = template;
  for (let word = 0; word < count; word++) {
    let place = places[word];
    if (words[word] !== VALUE && words[word] !== hashes[word]) {
      words[word] = VALUE;
      if (place) place.measured = false;
      else {
        place = emptyPlace();
        place.measured = false;
        const start = template.spans[word * 2] as number;
        place.values?.set(template.exact[word] as number, { count: template.count, at: template.first, start, end: template.spans[word * 2 + 1] as number });
        places[word] = place;
      }
    }
    if (place) note(place, at, word, times);
  }
  template.count += times;
  template.last = last;
}

function emptyPlace(): Place {
  return {
    measured: true,
    lines: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    minAt: 0,
    maxAt: 0,
    mean: 0,
    spread: 0,
    values: new Map(),
  };
}

function note(place: Place, line: number, word: number, times: number): void {
  const number = numbers[word] as number;
  if (Number.isNaN(number)) place.measured = false;
  if (place.measured) {
    place.lines += 1;
    if (number < place.min) {
      place.min = number;
      place.minAt = line;
    }
    if (number > place.max) {
      place.max = number;
      place.maxAt = line;
    }
    const difference = number - place.mean;
    place.mean += difference / place.lines;
    place.spread += difference * (number - place.mean);
  }
  if (place.values === undefined) return;
  const hash = exact[word] as number;
  const value = place.values.get(hash);
  if (value) value.count += times;
  else if (place.values.size >= VALUES) place.values = undefined;
  else place.values.set(hash, { count: times, at: line, start: spans[word * 2] as number, end: spans[word * 2 + 1] as number });
}

/** Values named of one place, and characters of one. */
const NAMED = 3;
const LONGEST_VALUE = 32;
/** Characters of a template that are shown. */
const SHOWN = 240;

/** A template as its first line with what differs in angle brackets: `<*>`, the range of a number, or the values that came most. */
export function written(template: Template, lines: readonly Line[]): string {
  const { text } = lines[template.first] as Line;
  const parts: string[] = [];
  let from = 0;
  for (let word = 0; word < template.words.length; word++) {
    const place = template.places[word];
    if (!place) continue;
    const start = template.spans[word * 2] as number;
    const end = template.spans[word * 2 + 1] as number;
    const shown = valueText(place, template.words[word] === VALUE, text.slice(start, end), lines);
    parts.push(text.slice(from, start), shown);
    from = end;
    if (start > SHOWN * 2) break;
  }
  if (from < SHOWN * 2) parts.push(text.slice(from, SHOWN * 2));
  const whole = parts.join("").trim();
  return whole.length > SHOWN ? `${whole.slice(0, SHOWN)}…` : whole;
}

function valueText(place: Place, differs: boolean, word: string, lines: readonly Line[]): string {
  if (place.values?.size === 1) return word;
  const few = place.values && place.values.size <= NAMED * 2 ? commonest(place.values, lines) : undefined;
  if (!differs && place.measured) {
    if (few) return `<${few}>`;
    return word.replace(/\d+(?:\.\d+)?/, `<${place.min}…${place.max}>`);
  }
  return few ? `<${few}>` : "<*>";
}

/** `200 812 times, 404 3 times, 2 others`; undefined where no value came more than once. */
function commonest(values: ReadonlyMap<number, Value>, lines: readonly Line[]): string | undefined {
  const sorted = [...values.values()].sort((a, b) => b.count - a.count);
  if ((sorted[0]?.count ?? 0) < 2) return undefined;
  const named = sorted
    .slice(0, NAMED)
    .map(({ count, at, start, end }) => `${(lines[at] as Line).text.slice(start, Math.min(end, start + LONGEST_VALUE))} ${count}×`);
  return [...named, ...(sorted.length > NAMED ? [`${sorted.length - NAMED} others`] : [])].join(", ");
}

/** Indexes of lines that hold a number far from the others at its place, farthest first. */
export function outliers(templates: readonly Template[], most: number): readonly number[] {
  const far = new Map<number, number>();
  for (const { places } of templates)
    for (const place of places) {
      if (!place?.measured || place.lines < ENOUGH) continue;
      const deviation = Math.sqrt(place.spread / (place.lines - 1));
      if (!(deviation > 0)) continue;
      for (const [value, at] of [
        [place.max, place.maxAt],
        [place.min, place.minAt],
      ] as const) {
        const distance = Math.abs(value - place.mean) / deviation;
        if (distance >= FAR) far.set(at, Math.max(distance, far.get(at) ?? 0));
      }
    }
  return [...far]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, most)
    .map(([at]) => at);
}
