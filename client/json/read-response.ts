import type {
  ActionDecision,
  CheckResourcesResponse,
  OutputEntry,
  PlanOperand,
  PlanResourcesResponse,
  ResultEntry,
  ServerInfoResponse,
  ValidationError,
} from '../../proto/messages.js';
import { MAX_DEPTH } from '../plain-json.js';
import { asObject, type JsonObject, objectField, objectsField, own, textField, textsField, wrong } from './fields.js';

/**
 * The response of a check from its JSON form (docs/spec/server.md#check-messages). Throws an AuthzError for what is
 * none.
 */
export function readCheckResponse(json: unknown, includeMeta: boolean): CheckResourcesResponse {
  const response = asObject(json, 'response');
  return {
    requestId: textField(response, 'requestId'),
    results: objectsField(response, 'results').map(readResult),
    includeMeta,
    authzCallId: textField(response, 'authzCallId'),
  };
}

/** The response of a plan from its JSON form (docs/spec/plans.md#plan-response). */
export function readPlanResponse(json: unknown, includeMeta: boolean): PlanResourcesResponse {
  const response = asObject(json, 'response');
  const meta = objectField(response, 'meta');
  const scopes = objectField(meta, 'matchedScopes');
  return {
    requestId: textField(response, 'requestId'),
    action: textField(response, 'action'),
    actions: textsField(response, 'actions'),
    resourceKind: textField(response, 'resourceKind'),
    policyVersion: textField(response, 'policyVersion'),
    plan: {
      filter: readFilter(objectField(response, 'filter')),
      filterDebug: textField(meta, 'filterDebug'),
      matchedScopes: new Map(Object.keys(scopes).map((action) => [action, textField(scopes, action)])),
      validationErrors: objectsField(response, 'validationErrors').map(readValidationError),
      unplanned: objectsField(meta, 'unplanned').map((rule) => ({
        policy: textField(rule, 'policy'),
        rule: textField(rule, 'rule'),
        reason: textField(rule, 'reason'),
      })),
    },
    includeMeta,
    authzCallId: textField(response, 'authzCallId'),
  };
}

/** Which build answers. */
export function readServerInfo(json: unknown): ServerInfoResponse {
  const info = asObject(json, 'response');
  return {
    version: textField(info, 'version'),
    commit: textField(info, 'commit'),
    buildDate: textField(info, 'buildDate'),
    bundleHash: textField(info, 'bundleHash'),
  };
}

function readResult(result: JsonObject): ResultEntry {
  const { kind, id, policyVersion, scope } = readResource(objectField(result, 'resource'));
  const meta = objectField(result, 'meta');
  const effects = objectField(result, 'actions');
  const matched = objectField(meta, 'actions');
  return {
    resource: { kind, id, policyVersion, scope, attr: {} },
    decision: {
      actions: Object.keys(effects).map((action) =>
        readDecision(action, own(effects, action), objectField(matched, action)),
      ),
      effectiveDerivedRoles: textsField(meta, 'effectiveDerivedRoles'),
      outputs: objectsField(result, 'outputs').map(readOutput),
      validationErrors: objectsField(result, 'validationErrors').map(readValidationError),
    },
  };
}

function readResource(resource: JsonObject): {
  readonly kind: string;
  readonly id: string;
  readonly policyVersion: string;
  readonly scope: string;
} {
  return {
    kind: textField(resource, 'kind'),
    id: textField(resource, 'id'),
    policyVersion: textField(resource, 'policyVersion'),
    scope: textField(resource, 'scope'),
  };
}

/** Nothing but the very word allows. */
function readDecision(action: string, effect: unknown, matched: JsonObject): ActionDecision {
  if (effect !== 'EFFECT_ALLOW' && effect !== 'EFFECT_DENY') throw wrong('actions');
  return {
    action,
    effect: effect === 'EFFECT_ALLOW' ? 1 : 2,
    matchedPolicy: textField(matched, 'matchedPolicy'),
    matchedScope: textField(matched, 'matchedScope'),
  };
}

function readOutput(output: JsonObject): OutputEntry {
  const src = textField(output, 'src');
  const action = textField(output, 'action');
  const error = textField(output, 'error');
  return error === '' ? { src, action, val: own(output, 'val') ?? null } : { src, action, error };
}

function readValidationError(error: JsonObject): ValidationError {
  const source = own(error, 'source');
  if (source !== 'SOURCE_PRINCIPAL' && source !== 'SOURCE_RESOURCE') throw wrong('validationErrors');
  return { path: textField(error, 'path'), message: textField(error, 'message'), source };
}

function readFilter(filter: JsonObject): { readonly kind: string; readonly condition?: PlanOperand } {
  const kind = own(filter, 'kind');
  if (kind === 'KIND_ALWAYS_ALLOWED' || kind === 'KIND_ALWAYS_DENIED') return { kind };
  if (kind !== 'KIND_CONDITIONAL') throw wrong('filter');
  return { kind, condition: readOperand(objectField(filter, 'condition'), 0) };
}

/** Exactly one of the three, and nothing that is not known: what is passed over in a filter selects other rows. */
function readOperand(operand: JsonObject, depth: number): PlanOperand {
  const [form, ...others] = Object.keys(operand);
  if (others.length > 0 || depth > MAX_DEPTH) throw wrong('filter');
  switch (form) {
    case 'variable':
      return { variable: textField(operand, 'variable') };
    case 'value':
      return { value: operand['value'] };
    case 'expression':
      return { expression: readExpression(objectField(operand, 'expression'), depth) };
    default:
      throw wrong('filter');
  }
}

function readExpression(
  expression: JsonObject,
  depth: number,
): Extract<PlanOperand, { readonly expression: unknown }>['expression'] {
  const operator = textField(expression, 'operator');
  if (operator === '' || Object.keys(expression).some((name) => name !== 'operator' && name !== 'operands'))
    throw wrong('filter');
  return { operator, operands: objectsField(expression, 'operands').map((inner) => readOperand(inner, depth + 1)) };
}
