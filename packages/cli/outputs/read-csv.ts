import { InputError } from '../report.js';
import { unguarded } from './csv.js';

/** A line of CSV, with its number in the file. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads CSV as `csvLine` writes it and spreadsheets save it: with commas, semicolons or tabs, whichever the first line
 * has most, with either end of line, and after a mark of the byte order. A quote within a field that does not begin
 * with one, text after the quote that ends a field, a quote that nothing ends, and lines of different lengths are errors:
 * no field is guessed. Throws an InputError.
 */
export function readCsv(text: string, file: string): readonly CsvRow[] {
  const separator = findSeparator(text);
  const rows: CsvRow[] = [];
  let [at, line] = [text.startsWith('\uFEFF') ? 1 : 0, 1];
  const fail = (problem: string): InputError => new InputError(`line ${line}: ${problem}`, undefined, [], file);
  while (at < text.length) {
    const fields: string[] = [];
    const first = line;
    for (;;) {
      let field = '';
      if (text[at] === '"') {
        const begin = line;
        for (at += 1; ; at += 1) {
          if (at >= text.length) throw new InputError(`line ${begin}: nothing ends this quote`, undefined, [], file);
          if (text[at] === '"') {
            if (text[at + 1] !== '"') break;
            at += 1;
          }
          if (text[at] === '\n') line += 1;
          field += text[at];
        }
        at += 1;
        if (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n')
          throw fail('text after the quote that ends a field');
      } else {
        const start = at;
        while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') at += 1;
        field = text.slice(start, at);
        if (field.includes('"')) throw fail('a quote in a field without quotes');
      }
      fields.push(unguarded(field));
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    line += 1;
    if (fields.length === 1 && fields[0] === '') continue;
    const wanted = rows[0]?.fields.length ?? fields.length;
    if (fields.length !== wanted) {
      line = first;
      throw fail(`${fields.length} fields, and the first line has ${wanted}`);
    }
    rows.push({ line: first, fields });
  }
  return rows;
}

function findSeparator(text: string): string {
  const [head = ''] = text.split(/[\r\n]/, 1);
  const count = (separator: string): number => head.split(separator).length;
  return [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most));
}
