import type { Plan, PlanOperand, PlanResourcesResponse, UnplannedRule, ValidationError } from '../messages.js';
import { MAX_VALUE_DEPTH, readJsonValue } from '../wire/value.js';
import { readFields, readValidationError, text, varint } from './read-parts.js';
import { WireError, WireReader } from '../wire/reader.js';

/**
 * PlanResourcesResponse from its protobuf encoding: the caller's half of `encodePlanResourcesResponse`. Throws a
 * WireError for what is no such message.
 */
export function decodePlanResourcesResponse(bytes: Buffer, includeMeta: boolean): PlanResourcesResponse {
  const reader = new WireReader(bytes);
  const response = { requestId: '', action: '', resourceKind: '', policyVersion: '', authzCallId: '' };
  const actions: string[] = [];
  const validationErrors: ValidationError[] = [];
  let filter: Plan['filter'] | undefined;
  let meta = NO_META;
  readFields(reader, bytes.length, {
    1: text(() => {
      response.requestId = reader.string();
    }),
    2: text(() => {
      response.action = reader.string();
    }),
    3: text(() => {
      response.resourceKind = reader.string();
    }),
    4: text(() => {
      response.policyVersion = reader.string();
    }),
    5: text(() => {
      filter = only(filter, readFilter(reader));
    }),
    6: text(() => {
      meta = readMeta(reader);
    }),
    7: text(() => {
      validationErrors.push(readValidationError(reader));
    }),
    8: text(() => {
      response.authzCallId = reader.string();
    }),
    9: text(() => {
      actions.push(reader.string());
    }),
  });
  if (filter === undefined) throw new WireError('plan without a filter');
  return { ...response, actions, plan: { filter, ...meta, validationErrors }, includeMeta };
}

type Meta = Pick<Plan, 'filterDebug' | 'matchedScopes' | 'unplanned'>;

const NO_META: Meta = { filterDebug: '', matchedScopes: undefined, unplanned: [] };
const KINDS = ['KIND_ALWAYS_ALLOWED', 'KIND_ALWAYS_DENIED', 'KIND_CONDITIONAL'] as const;

function readFilter(reader: WireReader): Plan['filter'] {
  let number = 0;
  let condition: PlanOperand | undefined;
  readFields(reader, reader.messageEnd(), {
    1: varint(() => {
      number = reader.uint32();
    }),
    2: text(() => {
      condition = only(condition, readOperand(reader, 0));
    }),
  });
  const kind = KINDS[number - 1];
  if (kind === undefined) throw new WireError('filter of no kind');
  if (kind !== 'KIND_CONDITIONAL') return { kind };
  if (condition === undefined) throw new WireError('conditional filter without a condition');
  return { kind, condition };
}

function readOperand(reader: WireReader, depth: number): PlanOperand {
  if (depth > MAX_VALUE_DEPTH) throw new WireError('expressions nested too deep');
  let operand: PlanOperand | undefined;
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      operand = only(operand, { value: readJsonValue(reader) });
    }),
    2: text(() => {
      operand = only(operand, readExpression(reader, depth));
    }),
    3: text(() => {
      operand = only(operand, { variable: reader.string() });
    }),
  });
  if (operand === undefined) throw new WireError('empty operand');
  return operand;
}

/** The encoding would have the last one count, or both be merged; a filter that says two things is none. */
function only<T>(before: T | undefined, value: T): T {
  if (before !== undefined) throw new WireError('a part of the filter comes twice');
  return value;
}

function readExpression(reader: WireReader, depth: number): PlanOperand {
  let operator = '';
  const operands: PlanOperand[] = [];
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      operator = reader.string();
    }),
    2: text(() => {
      operands.push(readOperand(reader, depth + 1));
    }),
  });
  if (operator === '') throw new WireError('expression without an operator');
  return { expression: { operator, operands } };
}

function readMeta(reader: WireReader): Meta {
  let filterDebug = '';
  const matchedScopes = new Map<string, string>();
  const unplanned: UnplannedRule[] = [];
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      filterDebug = reader.string();
    }),
    3: text(() => readScope(reader, matchedScopes)),
    100: text(() => {
      unplanned.push(readUnplanned(reader));
    }),
  });
  return { filterDebug, matchedScopes, unplanned };
}

function readScope(reader: WireReader, scopes: Map<string, string>): void {
  let action = '';
  let scope = '';
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      action = reader.string();
    }),
    2: text(() => {
      scope = reader.string();
    }),
  });
  scopes.set(action, scope);
}

function readUnplanned(reader: WireReader): UnplannedRule {
  let policy = '';
  let rule = '';
  let reason = '';
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      policy = reader.string();
    }),
    2: text(() => {
      rule = reader.string();
    }),
    3: text(() => {
      reason = reader.string();
    }),
  });
  return { policy, rule, reason };
}
