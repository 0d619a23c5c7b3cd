import { fold } from '../../../compiler/optimise/index.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import type { ComparedVersion } from '../../analysis/decision/policy-version.js';
import { compareVersions } from '../../analysis/diff/diff.js';
import type { DiffAnswer, DiffResult, DiffRow, WitnessRequest } from '../../analysis/diff/report.js';
import { makeMatrix } from '../../analysis/matrix/matrix.js';
import { gapText, nameText, rowTitle, titleParts } from '../../analysis/matrix/report/cells.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import type { Json } from '../json.js';
import { compileFiles } from './compile-files.js';
import type { Questions, Reviewed, ShownChange, ShownDiff, ShownMatrix } from './questions.js';
import { requestText } from './request-text.js';

/* The analyses of the page, from the same code as `authzc matrix` and `authzc diff`. */

/** The time limit in milliseconds; what is not decided by then is reported as undecided. */
const LONGEST = 10_000;

const REFUSED = 'The policies do not compile.';

/** Who may do what. */
export function matrix(files: Questions['matrix']['asks']): Reviewed<ShownMatrix> {
  const { lowered } = compileFiles(files);
  if (lowered === undefined) return { refused: REFUSED };
  return withReason(() => {
    const { tables, definitions } = makeMatrix(fold(lowered), {});
    return {
      tables: tables.map((table) => {
        const gap = gapText(table);
        return {
          title: titleParts(table).join(', '),
          actions: table.actions.map((action) => nameText(action, 'action')),
          rows: table.rows.map((row) => ({
            title: rowTitle(row),
            cells: row.cells.map((cell) =>
              cell.answer === 'condition' ? { answer: cell.answer, condition: cell.condition } : cell,
            ),
          })),
          ...(gap !== undefined && { gap }),
        };
      }),
      definitions: definitions.map(({ name, text, place: { file, line } }) => ({
        name,
        text,
        place: `${file}:${line}`,
      })),
    };
  });
}

/** What the policies after an edit decide differently. */
export async function diff({ before, after }: Questions['diff']['asks']): Promise<Reviewed<ShownDiff>> {
  const [old, current] = [compileVersion(before), compileVersion(after)];
  if (old === undefined) return { refused: 'The policies that were loaded do not compile.' };
  if (current === undefined) return { refused: REFUSED };
  const end = Date.now() + LONGEST;
  try {
    return shownDiff(await compareVersions(old, current, { isOver: () => Date.now() > end && 'time' }));
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

function compileVersion(files: readonly TextFile[]): ComparedVersion | undefined {
  const { program, lowered } = compileFiles(files);
  if (program === undefined || lowered === undefined) return undefined;
  // The page runs no generated code: what confirms the requests interprets the program that would be emitted.
  return { source: '', program, lowered, compiled: async () => makeBundle(program).bundle };
}

function shownDiff({ rows, alsoChanged }: DiffResult): ShownDiff {
  const isOpen = ({ widened, narrowed }: DiffRow): boolean => widened.answer === '?' || narrowed.answer === '?';
  return {
    compared: rows.length,
    changes: rows.flatMap((row) => [
      ...toChange(row, 'widened', row.widened),
      ...toChange(row, 'narrowed', row.narrowed),
    ]),
    undecided: rows.filter(isOpen).map(writeTitle),
    alsoChanged: [...new Set(alsoChanged.map(({ what, rule }) => `${what} of ${rule}`))],
  };
}

function toChange(row: DiffRow, direction: ShownChange['direction'], answer: DiffAnswer): readonly ShownChange[] {
  if (answer.answer !== 'yes') return [];
  // The roles of a row show one direction or the other.
  const isMixed = row.widened.answer === 'yes' && row.narrowed.answer === 'yes';
  return [
    {
      title: writeTitle(row),
      direction,
      roles: isMixed ? answer.request.principal.roles : row.roles,
      request: requestText(toRequest(answer.request)),
      causes: row.causes.map(({ rule, condition }) => ({ rule, ...condition })),
    },
  ];
}

function writeTitle({ kind, version, scope, principal, action }: DiffRow): string {
  return [
    `${action} of ${kind}`,
    ...(version === 'default' ? [] : [`version ${version}`]),
    ...(scope === '' ? [] : [`scope ${scope}`]),
    ...(principal === null ? [] : [`principal ${principal.id}`]),
  ].join(', ');
}

/** A request of the playground. Globals are those of a server, which the playground does not have. */
function toRequest({ principal, resource, action, auxData, now }: WitnessRequest): Json {
  const hasClaims = Object.values(auxData).some((claims) => Object.keys(claims as object).length > 0);
  return {
    principal,
    resource,
    actions: [action],
    ...(hasClaims && { auxData }),
    now,
  } as unknown as Json;
}

function withReason<Shown>(find: () => Shown): Reviewed<Shown> {
  try {
    return find();
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}
