import type { Expression } from '../../ast/policy.js';
import type { Place, Span } from '../../diagnostics/span.js';
import { parseCel } from '../cel/index.js';
import type { ObjectValue, TextValue } from '../schema/value.js';
import { type TextOffsets, textOffsets } from '../yaml/offsets.js';
import { asText, fieldOf } from './fields.js';

/**
 * A CEL text and its tree. Its syntax errors are kept with it: they are said only when the policy is compiled
 * (docs/spec/policy-language.md#documents, docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export function expressionOf(value: TextValue, place: Place): Expression {
  const { ast, errors } = parseCel(value.text);
  let offsets: TextOffsets | undefined;
  return {
    text: value.text,
    place,
    ast,
    syntaxErrors: errors,
    spanOf(start, end) {
      // Most expressions never carry a diagnostic.
      offsets ??= textOffsets(value.text, value.node.written);
      return spanThrough(offsets, value, start, end);
    },
  };
}

/** The expression of a field; undefined when absent or empty. */
export function optionalExpression(object: ObjectValue, name: string): Expression | undefined {
  const field = fieldOf(object, name);
  if (field === undefined) return undefined;
  const value = asText(field.value);
  return value.text === '' ? undefined : expressionOf(value, field.place);
}

function spanThrough(offsets: TextOffsets, { node }: TextValue, from: number, to: number): Span {
  const { written } = node;
  // A number or a boolean is read as another text than was written.
  if (node.type !== 'String') return written.span;
  const start = offsets.starts[from] ?? written.span.end;
  const end = to > from ? (offsets.ends[to - 1] ?? written.span.end) : start;
  return { source: written.span.source, start, end: Math.max(start, end) };
}
