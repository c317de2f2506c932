// CSV as spreadsheets write it: quotes, doubled quotes, line breaks inside quotes, CRLF or LF.

const QUOTE = '"';

export class CsvError extends Error {
  constructor(message, line, column) {
    super(`${message} (line ${line}, column ${column})`);
    this.name = "CsvError";
    this.line = line;
    this.column = column;
  }
}

/**
 * Parses a whole text into records. Each record knows the line it began on, so that an importer can point at it.
 * Spaces around a bare field are dropped; inside quotes every character counts.
 * @returns {{ line: number, fields: string[] }[]}
 */
export function parseCsv(text, { separator = "," } = {}) {
  const records = [];
  const state = { field: "", fields: [], quoted: false, wasQuoted: false, line: 1, column: 0, begun: 1 };

  const endField = () => {
    state.fields.push(state.field.trim());
    state.field = "";
    state.wasQuoted = false;
  };
  const endRecord = () => {
    const blank = state.fields.length === 0 && state.field === "" && !state.wasQuoted;
    if (!blank) {
      endField();
      records.push({ line: state.begun, fields: state.fields });
    }
    state.field = "";
    state.fields = [];
    state.begun = state.line + 1;
  };

  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    state.column += 1;
    if (state.quoted) {
      if (char === QUOTE && text[at + 1] === QUOTE) {
        state.field += QUOTE;
        at += 1;
        state.column += 1;
      } else if (char === QUOTE) {
        state.quoted = false;
      } else {
        state.field += char;
      }
    } else if (char === QUOTE) {
      if (state.field.trim() !== "") throw new CsvError("a quote inside a bare field", state.line, state.column);
      state.field = "";
      state.quoted = true;
      state.wasQuoted = true;
    } else if (char === separator) {
      endField();
    } else if (char === "\n") {
      endRecord();
    } else if (char !== "\r" || text[at + 1] !== "\n") {
      if (state.wasQuoted && char.trim() !== "") throw new CsvError("text after a closing quote", state.line, state.column);
      if (!state.wasQuoted) state.field += char;
    }
    if (char === "\n") {
      state.line += 1;
      state.column = 0;
    }
  }
  if (state.quoted) throw new CsvError("a quote is never closed", state.begun, 1);
  endRecord();
  return records;
}

/**
 * Records as objects, by the names of the first line.
 * @returns {{ line: number, values: Record<string, string> }[]}
 */
export function parseTable(text, options) {
  const [head, ...rows] = parseCsv(text, options);
  if (!head) return [];
  const names = head.fields.map((name) => name.toLowerCase().replace(/\s+/g, "_"));
  return rows.map(({ line, fields }) => {
    if (fields.length !== names.length) throw new CsvError(`expected ${names.length} fields, found ${fields.length}`, line, 1);
    return { line, values: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };
  });
}

export function formatField(value, separator = ",") {
  const text = value === null || value === undefined ? "" : String(value);
  const needsQuotes = text.includes(separator) || /["\r\n]/.test(text) || text !== text.trim();
  return needsQuotes ? `${QUOTE}${text.replaceAll(QUOTE, QUOTE + QUOTE)}${QUOTE}` : text;
}

export function formatCsv(rows, { separator = ",", newline = "\r\n" } = {}) {
  return rows.map((row) => row.map((value) => formatField(value, separator)).join(separator) + newline).join("");
}
