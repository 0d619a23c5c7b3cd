import type { CommandContext } from '../context.js';
import { readCsv } from '../outputs/read-csv.js';
import { readText } from '../policies/request-files.js';
import { InputError } from '../report.js';
import { type Decision, type PairName, pairKey, pairText, type ReviewExport } from './export.js';
import { COLUMNS } from './formats.js';
import { readJson } from './state.js';

/** The pairs that an export has, in JSON or CSV. Throws an InputError for another file. */
export function readExportedPairs(file: string, context: CommandContext): readonly PairName[] {
  if (isCsv(file))
    return readRows(file, context).flatMap(({ fields }) => (fields['status'] === 'allowed' ? [readPair(fields)] : []));
  const before = readJson(file, context) as Partial<ReviewExport> | null;
  const { format, pairs } = before ?? {};
  const isPairs = format === 1 && Array.isArray(pairs) && pairs.every((pair) => isPair(pair));
  if (!isPairs) throw new InputError('this is not an export: `authzc review export` writes one', undefined, [], file);
  return pairs;
}

const NAMES = ['user', 'kind', 'resource', 'scope', 'action', 'through'] as const;

function isPair(pair: unknown): boolean {
  return (
    typeof pair === 'object' &&
    pair !== null &&
    NAMES.every((name) => typeof (pair as { readonly [field: string]: unknown })[name] === 'string')
  );
}

/** What decisions may be about, and what they need not say. */
export interface DecisionDefaults {
  readonly by: string | undefined;
  /** The pairs of the export, by key. */
  readonly known: ReadonlySet<string>;
  /** When decisions are recorded, for those without a time. */
  readonly now: string;
}

/** Reads decisions: a list in JSON, or the CSV of an export in which somebody decided. Throws an InputError. */
export function readDecisions(
  file: string,
  defaults: DecisionDefaults,
  context: CommandContext,
): readonly (PairName & Decision)[] {
  const decisions = isCsv(file)
    ? readRows(file, context).flatMap(({ fields, line }) =>
        DECIDED.every((name) => fields[name] === '')
          ? []
          : [readDecision(decidedIn(fields, line, file), { place: `line ${line}: `, file, defaults })],
      )
    : readList(file, context).map((entry, index) =>
        readDecision(
          typeof entry === 'object' && entry !== null ? (entry as { readonly [name: string]: unknown }) : {},
          { place: `[${index}]`, file, defaults },
        ),
      );
  const taken = new Map<string, Decision>();
  for (const decision of decisions) {
    const before = taken.get(pairKey(decision));
    if (before !== undefined && before.decision !== decision.decision)
      throw new InputError(`two decisions about ${pairText(decision)}`, undefined, [], file);
    taken.set(pairKey(decision), decision);
  }
  return decisions;
}

function readList(file: string, context: CommandContext): readonly unknown[] {
  const given = readJson(file, context);
  if (!Array.isArray(given)) throw new InputError('expected a list of decisions', undefined, [], file);
  return given;
}

function readDecision(
  read: { readonly [name: string]: unknown },
  { place, file, defaults }: { readonly place: string; readonly file: string; readonly defaults: DecisionDefaults },
): PairName & Decision {
  const fail = (problem: string): InputError => new InputError(`${place}${problem}`, undefined, [], file);
  const dot = place.endsWith(']') ? '.' : '';
  const text = (name: string, otherwise?: string): string => {
    const value = read[name] ?? otherwise;
    if (typeof value !== 'string') throw fail(`${dot}${name} must be a string`);
    return value;
  };
  const decision = text('decision');
  if (decision !== 'keep' && decision !== 'revoke') throw fail(`${dot}decision must be \`keep\` or \`revoke\``);
  const by = text('by', defaults.by);
  if (by === '') throw fail(`${dot}by must name who decided`);
  const at = text('at', defaults.now);
  if (Number.isNaN(Date.parse(at))) throw fail(`${dot}at is not a time`);
  const pair = {
    user: text('user'),
    kind: text('kind'),
    resource: text('resource'),
    scope: text('scope', ''),
    action: text('action'),
    through: text('through', ''),
  };
  if (!defaults.known.has(pairKey(pair)))
    throw fail(`${dot === '' ? '' : ': '}the export does not have ${pairText(pair)}`);
  const note = read['note'];
  return { ...pair, decision, by, at, ...(typeof note === 'string' && note !== '' && { note }) };
}

function isCsv(file: string): boolean {
  return file.toLowerCase().endsWith('.csv');
}

interface Row {
  readonly line: number;
  readonly fields: { readonly [column: string]: string };
}

/** The lines of an export in CSV, also after a spreadsheet has saved it. Its columns may have another order. */
function readRows(file: string, context: CommandContext): readonly Row[] {
  const rows = readCsv(readText(file, context), file);
  const [head, ...lines] = rows;
  const missing = COLUMNS.filter((name) => head?.fields.includes(name) !== true);
  if (head === undefined || missing.length > 0)
    throw new InputError(
      `this is not an export: it has no column ${missing.map((name) => `\`${name}\``).join(', ')}`,
      undefined,
      [],
      file,
    );
  const twice = head.fields.find((name, index) => name !== '' && head.fields.indexOf(name) !== index);
  if (twice !== undefined) throw new InputError(`two columns are \`${twice}\``, undefined, [], file);
  return lines.map(({ line, fields }) => ({
    line,
    fields: Object.fromEntries(head.fields.map((name, index) => [name, fields[index] as string])),
  }));
}

function readPair(fields: Row['fields']): PairName {
  const { user = '', kind = '', resource = '', scope = '', action = '', through = '' } = fields;
  return { user, kind, resource, scope, action, through };
}

/** The columns in which somebody decides. */
const DECIDED = ['decision', 'by', 'at', 'note'];

/** A decided line: empty cells say nothing. */
function decidedIn(fields: Row['fields'], line: number, file: string): { readonly [name: string]: string } {
  if (fields['status'] !== 'allowed')
    throw new InputError(
      `line ${line}: its status is \`${fields['status']}\`; only lines with the status \`allowed\` can be decided`,
      undefined,
      [],
      file,
    );
  if (fields['decision'] === '')
    throw new InputError(
      `line ${line}: has ${DECIDED.filter((name) => fields[name] !== '').join(' and ')}, but no decision`,
      undefined,
      [],
      file,
    );
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== '' || !DECIDED.includes(name)));
}
