import type * as tree from '../../runtime/engine/parts.js';
import type * as message from '../../proto/gen/explain-messages.js';
import { printValue, UNPRINTABLE } from '../../proto/wire/json-text.js';
import { RpcError } from './rpc-error.js';

/* Explanations as messages. Fields are in the order of their numbers, and empty ones are left out, as in all responses. */

/**
 * The response that has an explanation. Rejects with an RpcError if it would be too long.
 *
 * @param call what the response has from the call.
 */
export function explanationMessage(
  explanation: tree.Explanation,
  call: Pick<message.ExplainDecisionResponse, 'requestId' | 'authzCallId' | 'validationErrors' | 'tenantRoles'>,
): message.ExplainDecisionResponse {
  const { decision, matchedPolicy, matchedScope, decidedBy, steps, nearMisses, isRejected, unreached } = explanation;
  const writer = new MessageWriter();
  return filled({
    requestId: call.requestId,
    effect: toEffect(decision),
    matchedPolicy,
    matchedScope,
    decidedBy: decidedBy.map(({ rule, place, result }) => ({ rule, place, result: RESULTS[result] })),
    steps: steps.map((step) => writer.step(step)),
    validationErrors: call.validationErrors,
    nearMisses: nearMisses && writer.nearMisses(nearMisses),
    authzCallId: call.authzCallId,
    isRejected,
    tenantRoles: call.tenantRoles,
    unreached,
  });
}

/** Length in characters. */
const MAX_VALUES = 32 * 1024 * 1024;

/** Counts the values of one response. */
class MessageWriter {
  private length = 0;

  step({ role = '', policy, scope, needsConsent, isLimit, rules }: tree.Step): message.Step {
    return filled({ role, policy, scope, needsConsent, isLimit, rules: rules.map((rule) => this.rule(rule)) });
  }

  nearMisses({ changes, isComplete, sampled }: tree.NearMisses): message.NearMisses {
    const sets = changes.map((set) => ({ changes: set.map((change) => this.change(change)) }));
    return filled({ sets, isComplete, sampled });
  }

  private rule({ name, place, effect, result, inverted, derivedRole, condition }: tree.ExplainedRule) {
    return filled<message.ExplainedRule>({
      name,
      place,
      effect: toEffect(effect),
      result: RESULTS[result],
      inverted,
      derivedRole: derivedRole && this.derivedRole(derivedRole),
      condition: condition && this.condition(condition),
    });
  }

  private derivedRole({ name, place, isActive, condition }: tree.ExplainedDerivedRole) {
    return filled<message.ExplainedDerivedRole>({
      name,
      place,
      isActive,
      condition: condition && this.condition(condition),
    });
  }

  private condition(condition: tree.ConditionTree): message.ExplainedCondition {
    if (!('text' in condition)) {
      const { kind, result, of } = condition;
      const outcome = result === 'fails' ? { error: 'a part cannot be evaluated' } : { value: result };
      return { kind: KINDS[kind], result: outcome, of: of.map((part) => this.condition(part)) };
    }
    const { kind, text, place, result, definition = '', comparison = '', values = [], of = [] } = condition;
    this.count(text.length + definition.length + comparison.length);
    return filled<message.ExplainedCondition>({
      kind: KINDS[kind],
      result: this.outcome(result),
      text,
      place,
      definition,
      comparison,
      values: values.map((read) => ({ text: read.text, result: this.outcome(read.result) })),
      of: of.map((part) => this.condition(part)),
    });
  }

  private outcome(outcome: tree.Outcome): message.Outcome {
    return 'error' in outcome ? outcome : { value: this.value(outcome.value) };
  }

  private change({ path, from, to }: tree.Change): message.Change {
    return {
      path,
      ...(from !== undefined && { from: this.value(from) }),
      ...(to !== undefined && { to: this.value(to) }),
    };
  }

  private value(value: unknown): unknown {
    const printed = printValue(value);
    this.count((printed ?? UNPRINTABLE).length);
    return printed === undefined ? JSON.parse(UNPRINTABLE) : value;
  }

  private count(length: number): void {
    this.length += length;
    if (this.length > MAX_VALUES)
      throw new RpcError('resource_exhausted', 'the explanation would be longer than 32 MiB');
  }
}

const RESULTS = {
  applies: 'RULE_RESULT_APPLIES',
  'does not apply': 'RULE_RESULT_DOES_NOT_APPLY',
  'not active': 'RULE_RESULT_NOT_ACTIVE',
  fails: 'RULE_RESULT_FAILS',
} as const;

const KINDS = {
  all: 'KIND_ALL',
  any: 'KIND_ANY',
  none: 'KIND_NONE',
  expression: 'KIND_EXPRESSION',
  variable: 'KIND_VARIABLE',
} as const;

function toEffect(effect: tree.Explanation['decision']): 'EFFECT_ALLOW' | 'EFFECT_DENY' {
  return effect === 'ALLOW' ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}

/** A message without its empty fields. */
function filled<Message extends object>(message: { readonly [Field in keyof Message]: Message[Field] | undefined }) {
  const fields = Object.entries(message).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(fields) as Message;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0);
}
