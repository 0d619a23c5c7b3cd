import type { ActionDecision, ValidationError } from '../messages.js';
import { type WireWriter, writeText, writeTexts } from '../wire/writer.js';

/** A map from action to Effect; `actions` as they shall stand there. */
export function writeEffects(writer: WireWriter, field: number, actions: readonly ActionDecision[]): void {
  for (let index = actions.length - 1; index >= 0; index--) {
    const { action, effect } = actions[index] as ActionDecision;
    const mark = writer.mark();
    writer.varintField(2, effect);
    writer.stringField(1, action);
    writer.messageField(field, mark);
  }
}

/** A map from action to the policy and the scope that decided, in field 1, and the active derived roles in field 2. */
export function writeDecisionMeta(
  writer: WireWriter,
  actions: readonly ActionDecision[],
  derivedRoles: readonly string[],
): void {
  writeTexts(writer, 2, derivedRoles);
  for (let index = actions.length - 1; index >= 0; index--) {
    const { action, matchedPolicy, matchedScope } = actions[index] as ActionDecision;
    const entry = writer.mark();
    const effect = writer.mark();
    writeText(writer, 2, matchedScope);
    writeText(writer, 1, matchedPolicy);
    writer.messageField(2, effect);
    writer.stringField(1, action);
    writer.messageField(1, entry);
  }
}

/** A list of authz.schema.v1.ValidationError. */
export function writeValidationErrors(writer: WireWriter, field: number, errors: readonly ValidationError[]): void {
  for (let index = errors.length - 1; index >= 0; index--) {
    const { path, message, source } = errors[index] as ValidationError;
    const mark = writer.mark();
    writer.varintField(3, source === 'SOURCE_PRINCIPAL' ? 1 : 2);
    writeText(writer, 2, message);
    writeText(writer, 1, path);
    writer.messageField(field, mark);
  }
}
