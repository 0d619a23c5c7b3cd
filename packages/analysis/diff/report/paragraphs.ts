import type { DiffAnswer, DiffResult, DiffRow, DiffVerdict, WitnessRequest } from '../report.js';

/** How a report is shown. */
export interface ReportStyle {
  /** The path of a policy of a set as the reader would open it. */
  readonly pathOf: (side: 'old' | 'new', file: string) => string;
}

/** Rows of one point that changed alike: one verdict, one request up to the action, one cause. */
export interface Paragraph {
  /** One of the rows, whose request is shown; a named action, if there is one. */
  readonly row: DiffRow;
  /** Those that policies name, and then those that stand for others. */
  readonly actions: readonly string[];
  /** The kinds for which that is so: that of the row is the first. */
  readonly kinds: readonly string[];
}

/** The rows that are not unchanged, as paragraphs, in the order of their first rows. */
export function makeParagraphs({ rows }: DiffResult): readonly Paragraph[] {
  const groups = new Map<string, DiffRow[]>();
  for (const row of rows) {
    if (row.verdict === 'unchanged') continue;
    const key = JSON.stringify([listCoordinates(row), listSharedParts(row)]);
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  const ofPoints = [...groups.values()].map((group) => {
    const named = group.filter((row) => row.named);
    const [row] = [...named, ...group] as [DiffRow, ...DiffRow[]];
    return { row, actions: [...named, ...group.filter((other) => !other.named)].map(actionText), kinds: [row.kind] };
  });
  return ofManyKinds(ofPoints);
}

/** Paragraphs that say the same of several kinds as one, at the place of the first. */
function ofManyKinds(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const merged = new Map<string, Paragraph>();
  for (const paragraph of paragraphs) {
    const { row, actions, kinds } = paragraph;
    const { version, scope, principal } = row;
    const key = JSON.stringify([version, scope, principal, actions, listSharedParts(row)], (name, value: unknown) =>
      withoutKind(name, value),
    );
    const known = merged.get(key);
    merged.set(key, known === undefined ? paragraph : { ...known, kinds: [...known.kinds, ...kinds] });
  }
  return [...merged.values()];
}

/** Rules of policies of many kinds have one name, and stand in many files. */
function withoutKind(name: string, value: unknown): unknown {
  if (name === 'kind' || name === 'place') return undefined;
  return name === 'rule' && typeof value === 'string' && value.startsWith('resource.')
    ? value.slice(value.indexOf('#') + 1)
    : value;
}

/** What tells points apart. */
export function listCoordinates({ kind, version, scope, principal }: DiffRow): readonly unknown[] {
  return [kind, version, scope, principal];
}

function listSharedParts({ verdict, roles, combined, widened, narrowed, causes }: DiffRow): readonly unknown[] {
  return [verdict, roles, combined, withoutAction(widened), withoutAction(narrowed), causes];
}

/** How an answer was found out is not shown. */
function withoutAction(answer: DiffAnswer): unknown {
  if (answer.answer === '?') return answer;
  if (answer.answer === 'no') return answer.answer;
  return { ...answer, by: undefined, request: { ...answer.request, action: undefined } };
}

/** An action, or what stands for a class of actions that no policy names. */
function actionText({ action, named }: DiffRow): string {
  return named ? action : `others like ${action}`;
}

/** The verdict of a row in one word; what is not decided beside it is said by `openQuestions`. */
export type VerdictWord = 'unchanged' | 'widened' | 'narrowed' | 'mixed' | 'not decided';

/** See `VerdictWord`. */
export function verdictWord(verdict: DiffVerdict): VerdictWord {
  switch (verdict) {
    case 'unchanged':
    case 'widened':
    case 'narrowed':
    case 'mixed':
      return verdict;
    case 'widened, narrowing not decided':
      return 'widened';
    case 'narrowed, widening not decided':
      return 'narrowed';
    case 'not decided':
    case 'not widened':
    case 'not narrowed':
      return 'not decided';
  }
}

/** A direction in which a row may have changed. */
export const DIRECTIONS = [
  { name: 'widened', noun: 'widening' },
  { name: 'narrowed', noun: 'narrowing' },
] as const;

/**
 * Why a direction is not decided.
 *
 * @param shown how the name of a function is shown.
 */
export function reasonText(
  { reason, uninterpreted }: Pick<Extract<DiffAnswer, { answer: '?' }>, 'reason' | 'uninterpreted'>,
  shown: (name: string) => string,
): string {
  return [REASONS[reason], ...(uninterpreted.length === 0 ? [] : [`(${uninterpreted.map(shown).join(', ')})`])].join(
    ' ',
  );
}

const REASONS = {
  'no solver': 'it needs the solver',
  'resource limit': 'the solver reached its limit',
  'does not replay': 'there is no proof, and no request that replays',
  'schemas differ': 'the schemas differ, and there is no request that only one of them rejects',
  'rules share results': 'rules of the same name share their results',
  'too many classes': 'the patterns distinguish too many actions',
  'proof refuted': 'a request refutes the proof, which is a bug in authz: report it with the policies and the request',
  time: 'the run ended first',
} as const;

/** `2 widened, 1 not decided`: the counts of a report, in order. */
export function countVerdicts({
  summary: { unchanged, widened, narrowed, mixed, undecided },
}: DiffResult): readonly (readonly [VerdictWord, number])[] {
  return [
    ['unchanged', unchanged],
    ['widened', widened],
    ['narrowed', narrowed],
    ['mixed', mixed],
    ['not decided', undecided],
  ];
}

/** What was looked at, if not everything: `kind album, action view`. */
export function narrowedTo({ limits }: Pick<DiffResult, 'limits'>): string | undefined {
  const parts = (['kind', 'action', 'scope'] as const).flatMap((flag) => {
    const value = limits[flag];
    return value === undefined ? [] : [`${flag} ${value === '' ? '""' : value}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** How to decide more; undefined if the solver was there, or nothing needs it. */
export function solverNote({ rows }: DiffResult): string | undefined {
  return solverNoteFor(rows.filter((row) => [row.widened, row.narrowed].some(needsSolver)).length);
}

/** The same for a number of rows, or of something else, that need the solver. */
export function solverNoteFor(count: number, what = 'row'): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? what : `${what}s`} undecided; install z3-solver to decide most of them: npm install --save-dev z3-solver`;
}

/** Whether a question is open only because there is no solver. */
export function needsSolver(answer: DiffAnswer): boolean {
  return answer.answer === '?' && answer.reason === 'no solver';
}

/** The parts of a request that are not empty, by the names of flags of `authzc check`; the time if it is a special one. */
export function requestParts({
  request,
}: {
  readonly request: WitnessRequest;
}): readonly (readonly [string, unknown])[] {
  const { principal, resource, auxData, globals, now } = request;
  const parts: readonly (readonly [string, object])[] = [
    ['principal', withoutEmptyAttr(principal)],
    ['resource', withoutEmptyAttr(resource)],
    ['auxData', Object.keys(auxData.jwts ?? auxData.jwt ?? {}).length === 0 ? {} : auxData],
    ['globals', globals],
  ];
  return [
    ...parts.filter(([, part]) => Object.keys(part).length > 0),
    ...(now === USUAL_TIME ? [] : [['now', now] as const]),
  ];
}

/** The time of requests that are searched, unless they show something only at another one. */
const USUAL_TIME = '2025-01-01T00:00:00Z';

function withoutEmptyAttr<T extends { readonly attr: object }>({ attr, ...part }: T): object {
  return Object.keys(attr).length === 0 ? part : { ...part, attr };
}
