import {
  createAuditedEngine,
  type EvaluationError,
  type PlanRequest,
  type PlanResult,
  type UnplannedRule,
  type ValidationError,
  writingOf,
} from '#runtime/engine';
import { visible } from '../../compiler/diagnostics/visible.js';
import { EXIT } from '../exit.js';
import { formatInputError, InputError } from '../complaints.js';
import { readAttributes, readAuxData, readPrincipal } from '../policies/request-files.js';
import { filterTree } from './plan-tree.js';
import { isColorful, policiesInMemory } from '../policies/policies-in-memory.js';
import { unknownNames } from '../policies/unknown-names.js';

/**
 * How a plan is shown: as an indented tree, as the debug text of docs/spec/plans.md#debug-text, or as the filter of a
 * response in JSON.
 */
export type PlanFormat = 'tree' | 'text' | 'json';

/** The options of `authzc plan`, as commander gives them. */
export interface PlanOptions {
  readonly principal: string;
  readonly kind: string;
  readonly action: readonly string[];
  readonly scope?: string;
  readonly policyVersion?: string;
  /** A file of attributes that hold for every resource. */
  readonly attr?: string;
  readonly auxData?: string;
  readonly referenceShapes?: boolean;
  readonly output: PlanFormat;
}

/**
 * `authzc plan`: on which resources of a kind a principal may do all of the actions, by the policies of a folder. The
 * filter goes to standard output, what a reader should know beside it to standard error. Returns the exit code.
 */
export async function planCommand(directory: string, options: PlanOptions): Promise<number> {
  try {
    return await planned(directory, options);
  } catch (error) {
    return refuse(error);
  }
}

/** Says what is wrong with the request that the files and options describe; any other error is passed on. */
export function refuse(error: unknown): number {
  if (!(error instanceof InputError)) throw error;
  process.stderr.write(formatInputError(error, { color: isColorful() }));
  return EXIT.usage;
}

/** Standard input ends once. Throws an InputError when several options read it. */
export function requireOneReader(files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === '-').length > 1)
    throw new InputError('only one option can read standard input (`-`)', undefined, [
      { message: 'give the others files' },
    ]);
}

/** A line beside the result, as a reader of standard error sees it. */
export function warn(message: string, place = ''): void {
  console.error(`${place === '' ? '' : `${visible(place)}: `}warning: ${visible(message)}`);
}

/** What a condition failed at. */
export function evaluationErrorText({ expression, message }: EvaluationError): string {
  return `\`${expression}\` could not be evaluated, so it does not hold: ${message}`;
}

async function planned(directory: string, options: PlanOptions): Promise<number> {
  const request = requestOf(options);
  const policies = await policiesInMemory(directory);
  if (policies === undefined) return EXIT.refused;
  for (const line of unknownNames(policies.policies, {
    kind: options.kind,
    actions: request.actions,
    principal: request.principal.id,
  }))
    warn(line);
  const engine = createAuditedEngine(policies.policies, {
    plan: writingOf(options.referenceShapes === true),
    schemaEnforcement: 'warn',
    traced: await policies.traced(),
  });
  const plan = engine.plan(request);
  for (const error of engine.evaluationErrors(request))
    warn(evaluationErrorText(error), policies.placeOf(error.policy, error.rule));
  for (const error of plan.validationErrors) warn(violationText(error));
  for (const rule of plan.unplanned) warn(unplannedText(rule), policies.placeOf(rule.policy, rule.rule));
  process.stdout.write(textOf(plan, request, options.output));
  return EXIT.done;
}

function requestOf({ principal, kind, action, scope, policyVersion, attr, auxData }: PlanOptions): PlanRequest {
  requireOneReader([principal, attr, auxData]);
  return {
    principal: readPrincipal(principal),
    resource: { kind, scope, policyVersion, attr: attr === undefined ? undefined : readAttributes(attr) },
    actions: [...new Set(action)],
    auxData: auxData === undefined ? undefined : readAuxData(auxData),
  };
}

function textOf(plan: PlanResult, request: PlanRequest, format: PlanOptions['output']): string {
  switch (format) {
    case 'tree':
      return filterTree(plan.filter);
    case 'text':
      return `${visible(plan.filterDebug)}\n`;
    case 'json':
      return `${JSON.stringify(responseOf(plan, request), undefined, 2)}\n`;
  }
}

/** The fields of a PlanResourcesResponse that are about the filter, and the rules that it cannot say. */
function responseOf(
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
  return `the attributes of the ${source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource'} do not satisfy the schema: ${path}: ${message}`;
}

function unplannedText({ policy, rule, reason }: UnplannedRule): string {
  return `no filter can say rule \`${rule}\` of ${policy}: ${reason}; in the filter an ALLOW of it grants nothing, a DENY of it applies to every row`;
}
