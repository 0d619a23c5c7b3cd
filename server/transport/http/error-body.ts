import type { FieldElement, Violation } from '../../../proto/wire/violation.js';
import { CODES, type RpcError } from '../../service/rpc-error.js';

/**
 * The error body of the REST paths (docs/spec/server.md#form-of-violations, docs/spec/server.md#errors): a numeric
 * code, a message, perhaps the violated rules.
 */
export function printRestError(error: RpcError): string {
  const head = `{"code":${CODES[error.code].number},"message":${JSON.stringify(error.message)}`;
  if (error.violations.count === 0) return `${head}}`;
  const violations = violationsJson(error.violations.first);
  return `${head},"details":[${JSON.stringify({ '@type': 'type.googleapis.com/buf.validate.Violations', violations })}]}`;
}

/** buf.validate.Violations in its JSON form. */
export function violationsJson(violations: readonly Violation[]): readonly object[] {
  return violations.map((violation) => ({
    ...(violation.field.length > 0 && { field: { elements: violation.field.map(elementJson) } }),
    ...(violation.rule.path.length > 0 && { rule: { elements: violation.rule.path.map(elementJson) } }),
    ruleId: violation.rule.id,
    message: violation.rule.message,
    ...(violation.forKey && { forKey: true }),
  }));
}

function elementJson(element: FieldElement): object {
  return {
    fieldNumber: element.number,
    fieldName: element.name,
    fieldType: element.type,
    ...(element.index !== undefined && { index: String(element.index) }),
    ...(element.key !== undefined && { keyType: 'TYPE_STRING', valueType: 'TYPE_MESSAGE', stringKey: element.key }),
  };
}
