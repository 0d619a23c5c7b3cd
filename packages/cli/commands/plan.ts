import {
  mergeErrors,
  type PlanRequest,
  type PlanResult,
  ruleFilters,
  type UnplannedRule,
  type ValidationError,
  writingOf,
} from '../../../runtime/engine/index.js';
import { type Filter, type Operand, operandText } from '../../../runtime/residual/index.js';
import {
  renderSql,
  type RuleFilter,
  type SqlCondition,
  type SqlDialect,
  type SqlProblem,
  type SqlTable,
} from '../../../runtime/residual/sql/index.js';
import { stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { type CommandContext, isColorful, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { NowOption } from '../policies/now-option.js';
import { decidingEngine } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import type { TableOptions } from '../policies/table-options.js';
import {
  readAttributes,
  readAuxData,
  readEnforcedTables,
  readPrincipal,
  requireTable,
  requireOneReader,
} from '../policies/request-files.js';
import { reportDatabaseError } from '../rls/database.js';
import { evaluationErrorText, warnOfNames } from '../policies/warnings.js';
import { InputError, printWarning } from '../report.js';

/**
 * How a plan is shown: as an indented tree, as the debug text of docs/spec/plans.md#debug-text, or as the filter of a
 * response in JSON; or as the condition of a WHERE clause, with its parameters.
 */
export type PlanFormat = 'tree' | 'text' | 'json' | 'sql';

/** The command line options of `authzc plan`. */
export interface PlanOptions extends NowOption, TableOptions, TenantsOption {
  readonly principal?: string;
  readonly kind?: string;
  readonly action?: readonly string[];
  /** A database with which the tables are compared; true for that of the environment. */
  readonly database?: string | true;
  readonly scope?: string;
  readonly policyVersion?: string;
  /** A file of attributes that all resources share. */
  readonly attr?: string;
  readonly auxData?: string;
  readonly lenientScopeSearch?: boolean;
  readonly referenceShapes?: boolean;
  readonly missing?: 'has' | 'nulls';
  readonly output: PlanFormat;
}

/**
 * `authzc plan`: on which resources of a kind a principal may do all of the actions, by the policies of a folder.
 * Prints the filter to standard output, and notes about it to standard error. Returns the exit code.
 */
export async function planCommand(directory: string, options: PlanOptions, context: CommandContext): Promise<number> {
  try {
    if (options.database === undefined) return await planned(directory, requireRequest(options), context);
    const dialect = await compareWithDatabase(options, context);
    if (dialect === undefined) return EXIT.failed;
    const { principal, kind, action } = options;
    if (principal === undefined && kind === undefined && action === undefined) return EXIT.done;
    return await planned(directory, { ...requireRequest(options), dialect }, context);
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

/** The options of a plan, which the parser cannot require, as a comparison with a database needs none. */
type Planned = PlanOptions & Required<Pick<PlanOptions, 'principal' | 'kind' | 'action'>>;

function requireRequest(options: PlanOptions): Planned {
  const { principal, kind, action } = options;
  const absent = (flags: string): never => {
    throw new UsageError(`required option \`${flags}\` not specified`);
  };
  return {
    ...options,
    principal: principal ?? absent('--principal <file>'),
    kind: kind ?? absent('--kind <kind>'),
    action: action ?? absent('--action <action>'),
  };
}

/** Reports what the file of tables says otherwise than the database; returns its dialect if that is nothing. */
async function compareWithDatabase(
  { database, table }: PlanOptions,
  context: CommandContext,
): Promise<SqlDialect | undefined> {
  if (table === undefined) throw new UsageError('`--database` needs the tables of resources: `--table tables.yaml`');
  const url = database === true ? context.env['DATABASE_URL'] : database;
  if (url === undefined || url === '')
    throw new UsageError('no database: set DATABASE_URL, or name one: `--database <url>`');
  const { compareTables } = await import('../tables/compare-tables.js');
  const { withTables } = await import('../tables/open-tables.js');
  const file = readEnforcedTables(table, context);
  const report = new Diagnostics();
  const dialect = await withTables(url, async ({ read }, own) => {
    await compareTables(file, read, own, report);
    return own;
  });
  if (report.hasErrors) {
    context.stdout.write(formatPretty(report.sorted(), { color: isColorful(context.stdout, context) }));
    return undefined;
  }
  printNote(context, `${visible(table)}: the tables of the database match the file`);
  return dialect;
}

async function planned(directory: string, options: Planned, context: CommandContext): Promise<number> {
  if (options.referenceShapes === true && options.missing === 'nulls')
    throw new InputError('`--reference-shapes` cannot express `--missing nulls`', undefined, [
      { message: 'use one of them' },
    ]);
  const request = readRequest(options, context);
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const { principal } = request;
  const engineOptions = {
    plan: writingOf(options.referenceShapes === true, options.missing),
    schemaEnforcement: 'warn' as const,
    lenientScopeSearch: options.lenientScopeSearch ?? false,
    clock: stoppedClock(options.now),
    traced: await policies.traced(),
  };
  const deciding = decidingEngine(policies.policies, engineOptions, options.tenants, context);
  warnOfNames(policies.policies, request, context, options);
  const { engine } = deciding;
  for (const line of deciding.rolesWithoutEffect(principal)) printWarning(context, line);
  const plan = engine.plan(request);
  for (const error of mergeErrors(engine.explain(request)))
    printWarning(context, evaluationErrorText(error), policies.placeOf(error.policy, error.rule));
  for (const error of plan.validationErrors) printWarning(context, violationText(error));
  for (const rule of plan.unplanned)
    printWarning(context, unplannedText(rule), policies.placeOf(rule.policy, rule.rule));
  if (options.output !== 'sql') {
    context.stdout.write(formatPlan(plan, request, options.output));
    return EXIT.done;
  }
  const table = readTable(options, context);
  const rules = (): readonly RuleFilter[] =>
    deciding
      .decidedPlans(request)
      .flatMap((decided) => ruleFilters(policies.policies, decided, engineOptions))
      .map((rule) => ({ ...rule, place: policies.placeOf(rule.policy, rule.rule) }));
  return printSql(renderSql(plan.filter, table, { dialect: options.dialect, rules }), options.dialect, context);
}

/** Prints a condition, or to standard error why there is none. Returns the exit code. */
function printSql(condition: SqlCondition, dialect: SqlDialect, context: CommandContext): number {
  if (condition.kind === 'refused') {
    for (const problem of condition.problems) printNote(context, problemText(problem));
    return EXIT.failed;
  }
  const parameters = condition.parameters.map((value, index) => {
    const name = dialect === 'postgresql' ? `$${index + 1}` : `parameter ${index + 1}`;
    return `-- ${name}: ${JSON.stringify(value)}`;
  });
  context.stdout.write([condition.text, ...parameters].map((line) => `${visible(line)}\n`).join(''));
  return EXIT.done;
}

function readRequest(
  { principal, kind, action, scope, policyVersion, attr, auxData, table }: Planned,
  context: CommandContext,
): PlanRequest {
  requireOneReader([principal, attr, auxData, table]);
  return {
    principal: readPrincipal(principal, context),
    resource: { kind, scope, policyVersion, attr: attr === undefined ? undefined : readAttributes(attr, context) },
    actions: [...new Set(action)],
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
  };
}

/** The table of the kind. Throws an InputError if there is none. */
function readTable({ table, kind, referenceShapes, missing }: Planned, context: CommandContext): SqlTable {
  if (missing === 'nulls')
    throw new InputError('`-o sql` takes the meaning of NULL from the declaration of the table', undefined, [
      { message: 'leave out `--missing nulls`' },
    ]);
  if (referenceShapes === true)
    throw new InputError('`--reference-shapes` omits where attributes are missing, which SQL needs', undefined, [
      { message: 'leave it out with `-o sql`' },
    ]);
  if (table === undefined)
    throw new InputError('`-o sql` needs the tables of resources', undefined, [
      { message: 'name the file that declares them: `--table tables.yaml`' },
    ]);
  return requireTable(readEnforcedTables(table, context), kind, table);
}

function problemText({ reason, part, policy, rule, place }: SqlProblem): string {
  const of = policy === undefined ? '' : ` (rule \`${rule}\` of ${policy})`;
  const where = place === undefined || place === '' ? '' : `${place}: `;
  return visible(`${where}error: ${reason}: ${part}${of}`);
}

function formatPlan(plan: PlanResult, request: PlanRequest, format: Exclude<PlanFormat, 'sql'>): string {
  switch (format) {
    case 'tree':
      return filterTree(plan.filter);
    case 'text':
      return `${visible(plan.filterDebug)}\n`;
    case 'json':
      return `${visibleJson(makeResponse(plan, request), 2)}\n`;
  }
}

/** The fields of a PlanResourcesResponse that concern the filter, and the rules that it cannot represent. */
function makeResponse(
  { filter, filterDebug, matchedScopes, validationErrors, unplanned }: PlanResult,
  { actions, resource }: PlanRequest,
): unknown {
  return {
    actions,
    resourceKind: resource.kind,
    policyVersion: resource.policyVersion,
    filter,
    meta: { filterDebug, ...(matchedScopes === undefined ? {} : { matchedScopes: Object.fromEntries(matchedScopes) }) },
    ...(validationErrors.length === 0 ? {} : { validationErrors }),
    ...(unplanned.length === 0 ? {} : { unplanned }),
  };
}

function violationText({ source, path, message }: ValidationError): string {
  const owner = source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource';
  return `the attributes of the ${owner} violate their schema: ${path}: ${message}`;
}

function unplannedText({ policy, rule, reason }: UnplannedRule): string {
  const effect = 'in the filter, it grants nothing if it allows, and applies to every row if it denies';
  return `rule \`${rule}\` of ${policy} cannot be part of a filter: ${reason}; ${effect}`;
}

/**
 * A filter as a tree: its kind, and below it one operator per line, its operands indented; an operator with only leaves
 * is printed on one line with them.
 */
export function filterTree(filter: Filter): string {
  const lines = filter.kind === 'KIND_CONDITIONAL' ? [filter.kind, ...formatTree(filter.condition, 1)] : [filter.kind];
  return `${lines.join('\n')}\n`;
}

function formatTree(operand: Operand, depth: number): readonly string[] {
  const indent = '  '.repeat(depth);
  if (!('expression' in operand)) return [`${indent}${leaf(operand)}`];
  const { operator, operands } = operand.expression;
  if (operands.every((inner) => !('expression' in inner)))
    return [`${indent}${[operator, ...operands.map(leaf)].join(' ')}`];
  return [`${indent}${operator}`, ...operands.flatMap((inner) => formatTree(inner, depth + 1))];
}

function leaf(operand: Operand): string {
  return visible(operandText(operand));
}
