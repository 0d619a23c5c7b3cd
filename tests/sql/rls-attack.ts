import { isDeepStrictEqual } from 'node:util';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables, type TableFile } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import type { Random } from '../support/oracle/random.js';
import type { SqlConnection } from '../support/sql/pglite.js';
import { NOBODY } from './row-security.js';
import {
  ACTIONS,
  type Allows,
  attributesOf,
  FORBIDDEN,
  randomPolicy,
  randomRow,
  randomStatements,
  type Row,
  type Statement,
} from './rls-statements.js';

/** What an attack did. */
export interface Counts {
  statements: number;
  exact: number;
  denied: number;
  read: number;
  changed: number;
  cells: number;
}

export const NO_COUNTS: Readonly<Counts> = { statements: 0, exact: 0, denied: 0, read: 0, changed: 0, cells: 0 };

/**
 * Random policies, rows, principals and statements. Returns what is not as check decides.
 *
 * @param version the major version of the server.
 * @param write the script that protects the table.
 */
export async function attack(
  client: SqlConnection,
  random: Random,
  version: number,
  counts: Counts,
  write: (declared: Declared) => string = securityScriptOf,
): Promise<readonly string[]> {
  const policy = randomPolicy(random);
  const compilation = compileTexts({ 'doc.yaml': policy });
  const engine = createEngine((await loaded(compilation)).policies);
  const asks = randomAsks(random);
  const program = compilation.lowered ?? invariant(compilation.diagnostics[0]?.message ?? '');
  await client.query(write(declared(program, asks)));
  await client.query('TRUNCATE docs RESTART IDENTITY');
  const stored = Array.from({ length: 14 }, (_, place): Row => ({ place, ...randomRow(random) }));
  for (const { place, id, a, b, n, flag, owner } of stored)
    await client.query('INSERT INTO docs VALUES ($1, $2, $3, $4, $5, $6, $7)', [place, id, a, b, n, flag, owner]);
  const wrong: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const principal = randomPrincipal(random);
    const allows: Allows = (asked, row) => {
      const { of, actions } = asks[asked];
      const resource = { kind: 'doc', id: row.id, attr: attributesOf(row) };
      counts.cells += 1;
      return actions[of === 'any' ? 'some' : 'every']((action) => engine.isAllowed({ principal, resource, action }));
    };
    const session = JSON.stringify(principal);
    for (const statement of randomStatements(random, random.below(stored.length), version)) {
      const outcome = await run(client, session, statement.text);
      counts.statements += 1;
      if (outcome === 'denied') counts.denied += 1;
      else {
        counts.read += outcome.returned.length;
        counts.changed += outcome.changes.length;
      }
      if (statement.expected !== undefined) counts.exact += 1;
      const problem = problemOf(statement, outcome, stored, allows);
      if (problem !== undefined)
        wrong.push(`${problem}\n  ${statement.text}\n  ${session}\n  ${JSON.stringify(asks)}\n  ${policy}`);
    }
  }
  const session = JSON.stringify(randomPrincipal(random));
  for (const text of FORBIDDEN)
    if ((await run(client, session, text)) !== 'denied') wrong.push(`${text} is not refused`);
  for (const nobody of NOBODY) {
    const [read, ...others] = randomStatements(random, 0, version);
    for (const { text } of [read ?? invariant('no statement'), random.pick(others)]) {
      const outcome = await run(client, nobody, text);
      if (outcome !== 'denied' && outcome.returned.length + outcome.changes.length + outcome.leaked.length > 0)
        wrong.push(`nobody reaches a row\n  ${nobody}\n  ${text}`);
    }
  }
  return wrong;
}

type Ask = { readonly of: 'any' | 'all'; readonly actions: readonly string[] };
type Asks = Readonly<Record<'select' | 'insert' | 'using' | 'check' | 'delete', Ask>>;

function randomAsks(random: Random): Asks {
  const ask = (action: string): Ask =>
    random.chance(0.7)
      ? { of: 'all', actions: [action] }
      : { of: random.pick(['any', 'all']), actions: [...new Set([action, random.pick(ACTIONS)])] };
  const using = ask('edit');
  return {
    select: ask('view'),
    insert: ask('create'),
    using,
    check: random.chance(0.5) ? using : ask(random.pick(['edit', 'create'])),
    delete: ask('remove'),
  };
}

/** Policies and a table that they protect. */
export interface Declared {
  readonly program: Program;
  readonly file: TableFile;
}

/** The script of a declaration, as `authzc rls` writes it. */
export function securityScriptOf({ program, file }: Declared): string {
  const report = new Diagnostics();
  const protection = protectTables(program, {}, file, report);
  return securityScript(protection ?? invariant(report.sorted()[0]?.message ?? ''));
}

function declared(program: Program, asks: Asks): Declared {
  const asked = ({ of, actions }: Ask): object => ({ [of]: actions });
  const text = JSON.stringify({
    tables: {
      doc: {
        name: 'public.docs',
        id: { column: 'id', type: 'text', nulls: 'never' },
        columns: {
          a: { column: 'a', type: 'text' },
          b: { column: 'b', type: 'text', nulls: 'as-null' },
          n: { column: 'n', type: 'number' },
          flag: { column: 'flag', type: 'boolean' },
          owner: { column: 'owner', type: 'text', nulls: 'as-null' },
        },
        rls: {
          select: asked(asks.select),
          insert: asked(asks.insert),
          update: { using: asked(asks.using), check: asked(asks.check) },
          delete: asked(asks.delete),
          to: ['app'],
        },
      },
    },
    rls: { attributes: { k: 'text', level: 'number', names: 'list' } },
  });
  const file = readTables(new Source('tables.yaml', text));
  if ('problems' in file) throw new Error(file.problems.map(({ message }) => message).join('\n'));
  return { program: fold(program), file };
}

function randomPrincipal(random: Random): {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: object;
} {
  const maybe = (name: string, value: unknown): object => (random.chance(0.85) ? { [name]: value } : {});
  return {
    id: random.pick(['u1', 'u2', 'r1']),
    roles: random.some(['user', 'admin', 'other', 'guru'], 1, 2),
    attr: {
      ...maybe('k', random.pick(['x', 'y'])),
      ...maybe('level', random.pick([1, 4, 9.5])),
      ...maybe('names', random.some(['x', 'y'], 0, 2)),
    },
  };
}

/** What a statement did, which is not kept: what it returned, and the rows that it changed. */
interface Outcome {
  readonly returned: readonly Row[];
  readonly changes: readonly { readonly before?: Row; readonly after?: Row }[];
  /** What a function of the user saw that is called for each row. */
  readonly leaked: readonly number[];
}

async function run(client: SqlConnection, session: string, text: string): Promise<Outcome | 'denied'> {
  await client.query('BEGIN');
  try {
    const before = await snapshot(client);
    await client.query("SELECT set_config('role', 'app', true), set_config('authz.principal', $1, true)", [session]);
    const result = await client.query(text);
    // node-postgres has a result for each of several statements.
    const { rows } = Array.isArray(result) ? (result.at(-1) as typeof result) : result;
    await client.query('RESET ROLE');
    const after = await snapshot(client);
    const leaked = (await client.query('SELECT place FROM leaked')).rows as readonly { readonly place: number }[];
    const returned = (rows as readonly Row[]).filter((row) => typeof row === 'object' && 'owner' in row);
    const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((origin) => {
      const [old, own] = [before.get(origin), after.get(origin)];
      if (JSON.stringify(old) === JSON.stringify(own)) return [];
      return [{ ...(old && { before: old }), ...(own && { after: own }) }];
    });
    return { returned, changes, leaked: leaked.map(({ place }) => place) };
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefined || !REFUSALS.has(code)) throw error;
    return 'denied';
  } finally {
    await client.query('ROLLBACK');
  }
}

/** No privilege, a row that violates a policy, COPY FROM under policies, and keys that are there already. */
const REFUSALS: ReadonlySet<string> = new Set(['42501', '0A000', '23505']);

/** The rows by what no statement changes. */
async function snapshot(client: SqlConnection): Promise<ReadonlyMap<number, Row>> {
  const { rows } = await client.query('SELECT * FROM docs');
  return new Map((rows as readonly (Row & { readonly origin: number })[]).map(({ origin, ...row }) => [origin, row]));
}

function problemOf(
  { expected }: Statement,
  outcome: Outcome | 'denied',
  stored: readonly Row[],
  allows: Allows,
): string | undefined {
  const exact = expected?.(stored, allows);
  if (outcome === 'denied') return exact === undefined || exact === 'denied' ? undefined : 'it is refused';
  for (const row of outcome.returned) if (!allows('select', row)) return `over-grant: it reads ${JSON.stringify(row)}`;
  for (const place of outcome.leaked)
    if (!allows('select', stored[place] as Row)) return `over-grant: a function sees row ${place}`;
  for (const { before, after } of outcome.changes) {
    const shown = `${JSON.stringify(before)} to ${JSON.stringify(after)}`;
    if (before === undefined ? !allows('insert', after as Row) : after === undefined && !allows('delete', before))
      return `over-grant: it changes ${shown}`;
    if (before !== undefined && after !== undefined && !(allows('using', before) && allows('check', after)))
      return `over-grant: it changes ${shown}`;
  }
  if (exact === undefined) return undefined;
  if (exact === 'denied') return 'it is not refused';
  const { returned, changes } = outcome;
  const known = new Set(textsOf(stored));
  const [left, gone] = [
    changes.flatMap(({ after }) => after ?? []),
    changes.filter(({ after }) => after === undefined),
  ];
  const isAsExpected =
    (exact.returned === undefined || isDeepStrictEqual(textsOf(returned), textsOf(exact.returned))) &&
    // An update that changes nothing leaves no trace.
    isDeepStrictEqual(
      textsOf(left),
      textsOf(exact.left ?? []).filter((text) => !known.has(text)),
    ) &&
    isDeepStrictEqual(textsOf(gone.flatMap(({ before }) => before ?? [])), textsOf(exact.gone ?? []));
  return isAsExpected ? undefined : `it does not do ${JSON.stringify(exact)}, but ${JSON.stringify(outcome)}`;
}

function textsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(({ place, id, a, b, n, flag, owner }) => JSON.stringify([place, id, a, b, n, flag, owner])).sort();
}
