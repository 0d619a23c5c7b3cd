import { capabilities, type CompiledBundle, createEngine, type Engine } from '../../runtime/engine/index.js';
import { renderCapabilities, type SqlCapabilities, type SqlDialect } from '../../runtime/residual/sql/index.js';
import type { CompileOptions } from '../../compiler/compile.js';
import { compileTexts, loaded } from '../support/compiled.js';
import type { Document } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { typedRow, type TypedRow, typedTable } from '../support/sql/typed-table.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { DERIVED_ROLES, typedPolicies } from './typed-policies.js';

/** A database with the typed table, which answers one query with can columns. */
export interface CapableDatabase {
  readonly dialect: SqlDialect;
  fill(rows: readonly TypedRow[]): Promise<void>;
  /** The values of the columns of a SELECT, by the position of the row. */
  columns(text: string, parameters: readonly unknown[]): Promise<ReadonlyMap<number, readonly unknown[]>>;
}

/** How often cells were compared, and what differs. */
export interface CapabilityTally {
  cells: number;
  allowed: number;
  statements: number;
  nulls: number;
  readonly wrong: string[];
}

/** Actions with a rule that is always or never true, in two spellings, and with equal conditions. */
export const ACTIONS = ['view', 'edit', 'comment:add', 'delete', 'share', 'own', 'never', 'any'] as const;

/** The columns of a query, as text with parameters. */
export type WrittenColumns = Pick<SqlCapabilities, 'text' | 'parameters'>;

/**
 * Compares can columns with `isAllowed`, cell by cell, over random policies and hostile rows.
 * @param change makes the columns wrong, for a test that this is found.
 */
export async function compareCapabilities(
  database: CapableDatabase,
  extent: { readonly seed: number; readonly stores: number; readonly rows: number },
  change: (written: SqlCapabilities) => WrittenColumns = (written) => written,
): Promise<CapabilityTally> {
  const tally: CapabilityTally = { cells: 0, allowed: 0, statements: 0, nulls: 0, wrong: [] };
  for (let seed = extent.seed; seed < extent.seed + extent.stores; seed += 1) {
    const random = new Random(seed);
    const engine = await engineOf(random, database.dialect);
    const rows = Array.from({ length: extent.rows }, () => typedRow(random, database.dialect));
    await database.fill(rows);
    const principal = randomPrincipal(random);
    const request = { principal, resource: { kind: 'thing', policyVersion: 'thing' } };
    const plans = engine.planCapabilities({ ...request, actions: ACTIONS });
    const rendered = renderCapabilities(plans, typedTable(database.dialect), {
      dialect: database.dialect,
      onRefused: 'null',
    });
    const { columns, refused } = rendered;
    const { text, parameters } = change(rendered);
    const cells = await database.columns(text, parameters).catch((error: unknown) => error as Error);
    tally.statements += 1;
    if (cells instanceof Error) {
      tally.wrong.push(`seed ${seed}: the statement fails: ${cells.message}\n  ${text}`);
      continue;
    }
    const told = engine.capabilities({ ...request, rows: rows as never, actions: ACTIONS });
    for (const [position, { id, attr, orTold }] of rows.entries())
      for (const [index, { action }] of columns.entries()) {
        const cell = cells.get(position)?.[index];
        const refusal = refused.find((one) => one.action === action);
        tally.cells += 1;
        if (refusal?.column === 'null') {
          if (cell !== null) tally.wrong.push(`seed ${seed}: ${action} is refused, and not NULL`);
          continue;
        }
        if (cell === null || cell === undefined) tally.nulls += 1;
        const [isTrue, isFalse] = database.dialect === 'postgresql' ? [true, false] : [1, 0];
        const allowed = told[position]?.[action] === true;
        const isAllowed = (attributes: TypedRow['attr']): boolean =>
          engine.isAllowed({ ...request, resource: { ...request.resource, id, attr: attributes }, action });
        if (isAllowed(attr) !== allowed) tally.wrong.push(`seed ${seed}: ${action} differs from isAllowed`);
        if (allowed) tally.allowed += 1;
        // A row that JSON cannot represent exactly has two readings; it may be denied if check denies either.
        const isOne = orTold === undefined && refusal === undefined;
        const may = allowed && (orTold === undefined || isAllowed(orTold));
        const isRight = isOne ? cell === (allowed ? isTrue : isFalse) : cell === isFalse || (cell === isTrue && may);
        if (!isRight)
          tally.wrong.push(
            `seed ${seed}: ${action} of ${id} is ${String(cell)}, check says ${allowed}: ${JSON.stringify(attr)}\n  ${columns[index]?.text}`,
          );
      }
  }
  return tally;
}

type ResourceRule = NonNullable<NonNullable<Document['resourcePolicy']>['rules']>[number];

/** An engine of random policies with a rule set of its own for each action. */
async function engineOf(random: Random, dialect: SqlDialect): Promise<Engine> {
  return createEngine(await capablePolicies(random, dialect), { use: [capabilities()] });
}

/** Random policies over the typed table with a rule set of its own for each action. */
export async function capablePolicies(
  random: Random,
  dialect: SqlDialect,
  options: CompileOptions = {},
): Promise<CompiledBundle> {
  const rules: ResourceRule[] = [];
  for (const action of ACTIONS) {
    if (action === 'own' || action === 'never' || action === 'any') continue;
    const [document] = typedPolicies(random, 'thing', dialect !== 'mysql');
    const own = document?.resourcePolicy?.rules ?? [];
    rules.push(...own.map((rule) => ({ ...rule, actions: action === 'view' ? ['view', 'own'] : [action] })));
  }
  rules.push({ actions: ['any'], effect: 'EFFECT_ALLOW', roles: ['*'] });
  const left = compiling(rules);
  return (await loaded(compileTexts(textsOf(left), options))).policies as CompiledBundle;
}

/** The rules that compile; some literals of random conditions do not fit together. */
function compiling(rules: readonly ResourceRule[]): readonly ResourceRule[] {
  if (compileTexts(textsOf(rules)).program !== undefined) return rules;
  return rules.filter((rule) => compileTexts(textsOf([rule])).program !== undefined);
}

function textsOf(rules: readonly ResourceRule[]): { readonly [path: string]: string } {
  const textOf = (document: Document): string => JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document });
  return {
    'roles.yaml': textOf(DERIVED_ROLES),
    'thing.yaml': textOf({
      resourcePolicy: { resource: 'thing', version: 'thing', importDerivedRoles: ['roles'], rules },
    }),
  };
}
