import type { PlanOperand } from '../gen/messages.js';
import type {
  AuditAuxData,
  AuditOutput,
  AuditPrincipal,
  AuditResource,
  AuditValidationError,
  CheckInput,
  CheckOutput,
  EvaluationError,
  PlanInput,
  PlanOutput,
} from './audit-messages.js';
import {
  writeBool,
  writeMap,
  writeText,
  writeTexts,
  writeValueMap,
  writeMessage,
  writeMessages,
} from './audit-fields.js';
import { writeJsonValue } from '../wire/value.js';
import type { WireWriter } from '../wire/writer.js';

/** authz.engine.v1.CheckInput. */
export function writeCheckInput(writer: WireWriter, input: CheckInput): void {
  writeMessage(writer, 5, input.auxData, writeAuxData);
  writeTexts(writer, 4, input.actions);
  writeMessage(writer, 3, input.principal, writePrincipal);
  writeMessage(writer, 2, input.resource, writeResource);
  writeText(writer, 1, input.requestId);
}

/** authz.engine.v1.CheckOutput. */
export function writeCheckOutput(writer: WireWriter, output: CheckOutput): void {
  writeMessages(writer, 7, output.evaluationErrors, writeEvaluationError);
  writeMessages(writer, 6, output.outputs, writeOutput);
  writeMessages(writer, 5, output.validationErrors, writeValidationError);
  writeTexts(writer, 4, output.effectiveDerivedRoles);
  writeMap(writer, 3, output.actions, (inner, { effect, policy, scope }) => {
    writeText(inner, 3, scope);
    writeText(inner, 2, policy);
    inner.varintField(1, effect === 'EFFECT_ALLOW' ? 1 : 2);
  });
  writeText(writer, 2, output.resourceId);
  writeText(writer, 1, output.requestId);
}

/** authz.engine.v1.PlanResourcesInput. */
export function writePlanInput(writer: WireWriter, input: PlanInput): void {
  writeTexts(writer, 7, input.actions);
  writeBool(writer, 6, input.includeMeta);
  writeMessage(writer, 5, input.auxData, writeAuxData);
  writeMessage(writer, 4, input.resource, writePlanResource);
  writeMessage(writer, 3, input.principal, writePrincipal);
  writeText(writer, 2, input.action);
  writeText(writer, 1, input.requestId);
}

/** authz.engine.v1.PlanResourcesOutput. */
export function writePlanOutput(writer: WireWriter, output: PlanOutput): void {
  writeMessages(writer, 11, output.evaluationErrors, writeEvaluationError);
  writeScopes(writer, output.matchedScopes ?? {});
  writeTexts(writer, 9, output.actions);
  writeMessages(writer, 8, output.validationErrors, writeValidationError);
  writeText(writer, 7, output.filterDebug);
  writeMessage(writer, 6, output.filter, (inner, { kind, condition }) => {
    writeMessage(inner, 2, condition, writeOperand);
    const number = FILTER_KINDS.indexOf(kind);
    if (number > 0) inner.varintField(1, number);
  });
  writeText(writer, 5, output.scope);
  writeText(writer, 4, output.policyVersion);
  writeText(writer, 3, output.kind);
  writeText(writer, 2, output.action);
  writeText(writer, 1, output.requestId);
}

const FILTER_KINDS: readonly string[] = [
  'KIND_UNSPECIFIED',
  'KIND_ALWAYS_ALLOWED',
  'KIND_ALWAYS_DENIED',
  'KIND_CONDITIONAL',
];

function writePrincipal(writer: WireWriter, principal: AuditPrincipal): void {
  writeText(writer, 5, principal.scope);
  writeValueMap(writer, 4, principal.attr);
  writeTexts(writer, 3, principal.roles);
  writeText(writer, 2, principal.policyVersion);
  writeText(writer, 1, principal.id);
}

function writeResource(writer: WireWriter, resource: AuditResource): void {
  writeText(writer, 5, resource.scope);
  writeValueMap(writer, 4, resource.attr);
  writeText(writer, 3, resource.id);
  writeText(writer, 2, resource.policyVersion);
  writeText(writer, 1, resource.kind);
}

/** A message of its own: its fields have other numbers. */
function writePlanResource(writer: WireWriter, resource: AuditResource): void {
  writeText(writer, 4, resource.scope);
  writeText(writer, 3, resource.policyVersion);
  writeValueMap(writer, 2, resource.attr);
  writeText(writer, 1, resource.kind);
}

function writeAuxData(writer: WireWriter, { jwt, jwts }: AuditAuxData): void {
  writeMap(writer, 2, jwts, (inner, { claims }) => writeValueMap(inner, 1, claims));
  writeValueMap(writer, 1, jwt);
}

function writeOutput(writer: WireWriter, output: AuditOutput): void {
  writeText(writer, 4, output.error);
  writeText(writer, 3, output.action);
  if ('val' in output) writeMessage(writer, 2, output.val ?? null, writeJsonValue);
  writeText(writer, 1, output.src);
}

function writeValidationError(writer: WireWriter, error: AuditValidationError): void {
  writer.varintField(3, error.source === 'SOURCE_PRINCIPAL' ? 1 : 2);
  writeText(writer, 2, error.message);
  writeText(writer, 1, error.path);
}

function writeEvaluationError(writer: WireWriter, { celError }: EvaluationError): void {
  writeMessage(writer, 1, celError, (inner, { expression, message }) => {
    writeText(inner, 2, message);
    writeText(inner, 1, expression);
  });
}

function writeOperand(writer: WireWriter, operand: PlanOperand): void {
  if ('value' in operand) writeMessage(writer, 1, operand.value ?? null, writeJsonValue);
  else if ('variable' in operand) writer.stringField(3, operand.variable);
  else {
    writeMessage(writer, 2, operand.expression, (inner, { operator, operands }) => {
      writeMessages(inner, 2, operands, writeOperand);
      writeText(inner, 1, operator);
    });
  }
}

function writeScopes(writer: WireWriter, scopes: { readonly [action: string]: string }): void {
  for (const action of Object.keys(scopes).sort().reverse()) {
    const mark = writer.mark();
    writer.stringField(2, scopes[action] as string);
    writer.stringField(1, action);
    writer.messageField(10, mark);
  }
}
