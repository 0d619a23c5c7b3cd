import type { Plan, PlanOperand, PlanResourcesResponse, UnplannedRule } from '../messages.js';
import { writeJsonValue } from '../wire/value.js';
import { writeValidationErrors } from './response-parts.js';
import { type WireWriter, writeText, writeTexts } from '../wire/writer.js';

/**
 * PlanResourcesResponse in its protobuf encoding (docs/spec/server.md#plan-messages); what is there and what is not, as
 * in its JSON form.
 */
export function encodePlanResourcesResponse(response: PlanResourcesResponse, writer: WireWriter): Buffer {
  const { plan, action } = response;
  writer.begin();
  writeTexts(writer, 9, response.actions);
  writeText(writer, 8, response.authzCallId);
  writeValidationErrors(writer, 7, plan.validationErrors);
  if (response.includeMeta) writeMeta(writer, plan, action);
  writeFilter(writer, plan.filter);
  writeText(writer, 4, response.policyVersion);
  writeText(writer, 3, response.resourceKind);
  writeText(writer, 2, action);
  writeText(writer, 1, response.requestId);
  return writer.finish();
}

/** The numbers of PlanResourcesFilter.Kind. */
const KINDS = { KIND_ALWAYS_ALLOWED: 1, KIND_ALWAYS_DENIED: 2, KIND_CONDITIONAL: 3 } as const;

function writeFilter(writer: WireWriter, { kind, condition }: Plan['filter']): void {
  const mark = writer.mark();
  if (condition !== undefined) writeOperand(writer, 2, condition);
  writer.varintField(1, KINDS[kind as keyof typeof KINDS]);
  writer.messageField(5, mark);
}

function writeOperand(writer: WireWriter, field: number, operand: PlanOperand): void {
  const mark = writer.mark();
  if ('variable' in operand) {
    writer.stringField(3, operand.variable);
  } else if ('value' in operand) {
    const value = writer.mark();
    writeJsonValue(writer, operand.value);
    writer.messageField(1, value);
  } else {
    writeExpression(writer, operand.expression);
  }
  writer.messageField(field, mark);
}

function writeExpression(
  writer: WireWriter,
  { operator, operands }: Extract<PlanOperand, { readonly expression: unknown }>['expression'],
): void {
  const mark = writer.mark();
  for (let index = operands.length - 1; index >= 0; index--) writeOperand(writer, 2, operands[index] as PlanOperand);
  writeText(writer, 1, operator);
  writer.messageField(2, mark);
}

function writeMeta(writer: WireWriter, { filterDebug, matchedScopes, unplanned }: Plan, action: string): void {
  const mark = writer.mark();
  for (let index = unplanned.length - 1; index >= 0; index--) writeUnplanned(writer, unplanned[index] as UnplannedRule);
  if (action !== '') writeText(writer, 2, matchedScopes?.get(action) ?? '');
  else if (matchedScopes !== undefined) writeScopes(writer, [...matchedScopes].reverse());
  writeText(writer, 1, filterDebug);
  writer.messageField(6, mark);
}

function writeUnplanned(writer: WireWriter, { policy, rule, reason }: UnplannedRule): void {
  const mark = writer.mark();
  writeText(writer, 3, reason);
  writeText(writer, 2, rule);
  writeText(writer, 1, policy);
  writer.messageField(100, mark);
}

function writeScopes(writer: WireWriter, reversed: readonly (readonly [string, string])[]): void {
  for (const [action, scope] of reversed) {
    const mark = writer.mark();
    writer.stringField(2, scope);
    writer.stringField(1, action);
    writer.messageField(3, mark);
  }
}
