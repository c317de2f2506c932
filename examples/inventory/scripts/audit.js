// A rough look at src/ and test/: long lines and functions, magic numbers, exports without a comment.
import { readdir, readFile } from "node:fs/promises";

const findings = [];
for (const folder of ["src", "test"]) {
  for (const name of (await readdir(folder)).sort()) {
    const path = `${folder}/${name}`;
    audit(path, (await readFile(path, "utf8")).split("\n"));
  }
}
for (const { path, line, rule, text } of findings) console.log(`${path}:${line}: ${rule}: ${text}`);
const counts = Object.entries(Object.groupBy(findings, ({ rule }) => rule)).map(([rule, found]) => `${found.length} ${rule}`);
console.log(`\n${findings.length} findings: ${counts.join(", ")}`);

function audit(path, lines) {
  for (const [index, text] of lines.entries()) {
    const line = index + 1;
    if (text.length > 120) findings.push({ path, line, rule: "long-line", text: `${text.length} characters` });
    if (/^export (?:function|class)/.test(text) && !/^(?:\/\/| \*\/|\/\*\*)/.test(lines[index - 1] ?? ""))
      findings.push({ path, line, rule: "undocumented", text: text.trim() });
    for (const [number] of text.replace(/(["'`]).*?\1/g, "").matchAll(/(?<![\w.#])\d{3,}(?![\w.])/g)) {
      if (path.startsWith("src")) findings.push({ path, line, rule: "magic-number", text: `${number} in ${text.trim()}` });
    }
    if (/\.sort\(\)/.test(text)) findings.push({ path, line, rule: "default-sort", text: text.trim() });
    if (/catch \{/.test(text)) findings.push({ path, line, rule: "swallowed-error", text: text.trim() });
  }
}
