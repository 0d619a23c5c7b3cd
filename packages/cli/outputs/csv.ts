/** A line of CSV (RFC 4180). No field is a formula: spreadsheets run those that begin like one. */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => quoted(String(field))).join(',')}\r\n`;
}

/** A field as it was before `csvLine` kept spreadsheets from running it. */
export function unguarded(field: string): string {
  const rest = field.slice(1);
  return field.startsWith("'") && FORMULA.test(rest) ? rest : field;
}

function quoted(field: string): string {
  const text = FORMULA.test(field) ? `'${field}` : field;
  return /["\r\n,;\t]|^\s|\s$|^'/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * What begins a formula in some spreadsheet: `=`, `+`, `-`, `@`, in their wide forms as well, after any characters that
 * a spreadsheet drops; and `|` and `%`, which older ones take for commands.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}\p{Zs}"']*[=+\-@|%\u2212\uFF0B\uFF0D\uFF1D\uFF20]/u;
