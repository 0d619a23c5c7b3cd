import { equality } from './equality.js';
import type { QueryRecord } from './query-record.js';
import { and, or, stringConstant } from './smt.js';
import { besideJson, type Term, unknown, unlessFailed } from './values.js';

/**
 * `sought in collection`.
 * @param isWritten whether the text of the condition has both.
 */
export function encodeMembership(query: QueryRecord, sought: Term, collection: Term, isWritten: boolean): Term {
  const { script } = query;
  // Of values that are equal, such as [0.0] and [-0.0], all are in a list or none is.
  const isCompound = sought.elements !== undefined || sought.entries !== undefined;
  const element = isCompound && collection.isJson ? besideJson(sought, script) : sought;
  const texts = `${element.text} ${collection.text}`;
  if (collection.isRoles) {
    const { value } = element;
    if (typeof value === 'string') query.roleNames.set(value, isWritten || query.roleNames.get(value) === true);
    return unknown(`(inRoles ${element.text})`, true);
  }
  if (collection.elements !== undefined) {
    const found = collection.elements.map((item) => `(isTrue ${equality(element, item, script).text})`);
    for (const item of collection.elements) query.compared.push([element, item]);
    return unknown(unlessFailed([element, collection], `(Bool ${or(...found)})`), true);
  }
  if (collection.candidates !== undefined) {
    const found = collection.candidates.map(({ element: item, isIn }) =>
      and(isIn, `(isTrue ${equality(element, item, script).text})`),
    );
    return unknown(unlessFailed([element, collection], `(Bool ${or(...found)})`), true);
  }
  if (collection.contains !== undefined)
    return unknown(unlessFailed([element, collection], `(Bool ${collection.contains(element)})`), true);
  query.collections.set(collection.text, collection);
  query.read(collection, typeof element.value === 'string' ? stringConstant(element.value) : `(str ${element.text})`);
  const result = `(isListed ${element.text} (lst ${collection.text}))`;
  query.applied.push({ kind: 'listed', result, range: collection, element });
  const isIn = `(${collection.isJson ? 'inJson' : 'in'} ${texts})`;
  if (element.isJson) return unknown(isIn, true);
  // Bytes as a key are an error in a map of a policy, and in JSON they are not found.
  const other = script.uninterpreted(`key ${texts}`, 'V', '');
  const isOther = `(and ((_ is Oth) ${element.text}) ((_ is Map) ${collection.text}))`;
  return unknown(`(ite ${isOther} (boolOf ${other}) ${isIn})`, true);
}
