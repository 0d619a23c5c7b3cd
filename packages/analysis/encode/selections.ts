import { hasContent, ofContent, optional } from './optionals.js';
import type { QueryRecord } from './query-record.js';
import { apply, stringConstant } from './smt.js';
import { constant, FAILURE, type Term, unknown } from './values.js';

/** `operand.name`. */
export function encodeSelect(query: QueryRecord, operand: Term, name: string): Term {
  if (hasContent(operand)) return encodeOptionalSelect(query, operand, name);
  if (operand.entries !== undefined && operand.value !== undefined) return operand.entries.get(name) ?? FAILURE;
  const key = stringConstant(name);
  query.read(operand, key);
  return unknown(apply(operand.isJson ? 'selectJson' : 'selectKey', operand.text, key), operand.isJson);
}

/** `has(operand.name)`. */
export function encodeHas(query: QueryRecord, operand: Term, name: string): Term {
  if (hasContent(operand)) {
    const { content } = operand;
    const isThere = `(ite (isErr ${content.text}) (Bool false) ${encodeHas(query, content, name).text})`;
    return unknown(`(ite (isErr ${operand.text}) Err ${isThere})`, true);
  }
  if (operand.entries !== undefined && operand.value !== undefined)
    return constant(operand.entries.has(name), query.script) as Term;
  const key = stringConstant(name);
  query.read(operand, key);
  return unknown(apply(operand.isJson ? 'hasJson' : 'has', operand.text, key), true);
}

/** `operand.?name`. */
export function encodeOptionalSelect(query: QueryRecord, operand: Term, name: string): Term {
  const { script } = query;
  const failing = ({ text }: Term): string => `(ite ((_ is Lst) ${text}) Err ${text})`;
  if (operand.isJson)
    return optional(encodeSelect(query, operand, name), unknown(script.define('V', failing(operand))), script);
  if (hasContent(operand) && operand.content.isJson)
    return ofContent(operand, (content) => encodeSelect(query, content, name), failing, script);
  return query.unexplained('.?', `optionalSelect ${JSON.stringify(name)}`, [operand]);
}

/** `operand[index]`. */
export function encodeIndex(query: QueryRecord, operand: Term, index: Term): Term {
  if (hasContent(operand)) return encodeOptionalIndex(query, operand, index);
  if (typeof index.value === 'string') return encodeSelect(query, operand, index.value);
  query.read(operand, `(str ${index.text})`);
  query.collections.set(operand.text, operand);
  return unknown(apply(operand.isJson ? 'indexJson' : 'index', operand.text, index.text), operand.isJson);
}

/** `operand[?index]`. */
export function encodeOptionalIndex(query: QueryRecord, operand: Term, index: Term): Term {
  if (typeof index.value === 'string') return encodeOptionalSelect(query, operand, index.value);
  const { script } = query;
  const failing = ({ text }: Term): string => apply('indexable', text, index.text);
  if (operand.isJson)
    return optional(encodeIndex(query, operand, index), unknown(script.define('V', failing(operand))), script);
  if (hasContent(operand) && operand.content.isJson) {
    // Of none, too, an index has to be one.
    const indexed = { ...operand, text: `(ite (isKey ${index.text}) ${operand.text} Err)` };
    return ofContent(indexed, (content) => encodeIndex(query, content, index), failing, script);
  }
  return query.unexplained('[?]', 'optionalIndex', [operand, index]);
}
