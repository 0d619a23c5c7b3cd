import { visible } from '../../../../compiler/diagnostics/visible.js';
import { pathText } from '../../../../runtime/facts/paths.js';
import type { ReadPath, ReadSet } from '../../../../runtime/policy/index.js';
import { gapText, nameText, titleParts } from '../../matrix/report/cells.js';
import { columns } from '../../report/columns.js';
import type { FactsReport, FactsTable } from '../facts-report.js';
import { unite } from '../read-set.js';

/** How a report is shown. */
export interface FactsTextOptions {
  /** Whether the lines that read a path are listed. */
  readonly lines: boolean;
  readonly pathOf: (file: string) => string;
}

/** Tables for a terminal. Actions and roles that read the same are in one row or column. */
export function factsText({ tables }: FactsReport, options: FactsTextOptions): string {
  return `${tables.map((table) => tableLines(table, options).join('\n')).join('\n\n')}\n`;
}

function tableLines(table: FactsTable, { lines, pathOf }: FactsTextOptions): readonly string[] {
  const rows = grouped(
    table.rows.map(({ action, sets }) => ({ name: nameText(action, 'action'), cells: sets.map(setText) })),
    ({ cells }) => JSON.stringify(cells),
  );
  const roles = grouped(
    table.roles.map((role, index) => ({
      name: nameText(role, 'role'),
      cells: rows.map((row) => row[0]?.cells[index] ?? ''),
    })),
    ({ cells }) => JSON.stringify(cells),
  );
  const gap = gapText(table);
  const whole = unite(table.rows.flatMap(({ sets }) => sets));
  return [
    titleParts(table).join('   '),
    ...columns([
      ['', ...roles.map((group) => group.map(({ name }) => name).join(', '))],
      ...rows.map((row, index) => [
        row.map(({ name }) => name).join(', '),
        ...roles.map(([role]) => role?.cells[index] ?? ''),
      ]),
    ]).map((line) => `  ${line}`),
    ...(gap === undefined ? [] : [`  ${gap}`]),
    ...whole.paths
      .filter(({ path }) => whole.whole.includes(pathText(path)))
      .map(
        (path) =>
          `  note: ${visible(pathText(path.path))} is read as a whole${path.leaf === 'value' ? '' : ', its names only'}${placeText(path, pathOf)}`,
      ),
    ...(lines ? columns(whole.paths.map((path) => pathLine(path, pathOf))).map((line) => `  ${line}`) : []),
  ];
}

function pathLine(path: ReadPath, pathOf: FactsTextOptions['pathOf']): readonly string[] {
  return [visible(shortPath(path)), path.lines.map((line) => linePath(line, pathOf)).join(', ')];
}

function placeText({ lines }: ReadPath, pathOf: FactsTextOptions['pathOf']): string {
  return lines.length === 0 ? '' : `: ${lines.map((line) => linePath(line, pathOf)).join(', ')}`;
}

function linePath(line: string, pathOf: FactsTextOptions['pathOf']): string {
  const [, file = line, number = ''] = /^(.*):(\d+)$/.exec(line) ?? [];
  return `${visible(pathOf(file))}:${number}`;
}

/** What a set reads, or `–` if the roles alone decide. */
function setText({ paths, now }: ReadSet): string {
  const texts = [...new Set(paths.map(shortPath)), ...(now ? ['now()'] : [])].map((text) => visible(text));
  return texts.length === 0 ? '–' : texts.join(', ');
}

/** A path as conditions write it, attributes of the resource by their name alone: `owner`, `P.attr.team`, `P.id`. */
function shortPath({ path, leaf }: ReadPath): string {
  const [root, field, ...names] = path;
  const text =
    root === 'resource' && field === 'attr' && names.length > 0
      ? pathText(names)
      : pathText(path)
          .replace(/^principal\b/, 'P')
          .replace(/^resource\b/, 'R')
          .replace(/^auxData\.(jwts?)\b/, '$1');
  return leaf === 'value' ? text : leaf === 'has' ? `has(${text})` : `size(${text})`;
}

/** Items in groups of equal keys, in the order of the first of each. */
function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
