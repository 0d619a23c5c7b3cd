import { allOf, anyOf, decided, unplannableReason } from '../residual/condition.js';
import { type Condition, path, type Term, Unknown } from '../residual/term.js';
import { toBody, test, unsayable } from './logic.js';
import type { Asked } from './schema.js';

/** The parts that a body applies to: the items of a list, items with positions, the keys of a map, or its entries. */
export type Parts = 'items' | 'positions' | 'keys' | 'entries';

/** A condition about the parts of a list or a map. */
export type Body = (parts: readonly [Term, Term], asked: Asked) => Condition;

/**
 * Where each part satisfies a condition. Attributes that the request lists are also tested one by one, as they need not
 * be stored.
 */
export function makeMacro(parts: Parts, value: Term, asked: Asked, body: Body): Condition {
  const listed = value instanceof Unknown && value.node.kind === 'attributes' ? Object.entries(value.node.listed) : [];
  const inner = { ...asked, type: undefined };
  const known = listed.map(([key, member]) => body([key, member as Term], inner));
  return allOf(...known, overParts('all', parts, value, asked, body));
}

/** Where some item of a list satisfies a condition. */
export function someItem(value: Term, asked: Asked, body: Body): Condition {
  return overParts('exists', 'items', value, asked, body);
}

/**
 * Makes a macro. Without the unplannable part of its body it is true for fewer rows, if any; whether it is true for
 * more is unplannable.
 */
function overParts(operator: 'all' | 'exists', parts: Parts, value: Term, asked: Asked, body: Body): Condition {
  const { depth } = asked;
  const names = NAMES[parts].map((name) => (depth === 0 ? name : `${name}${depth + 1}`));
  const [first, second] = names.map((name, position) =>
    path(
      name,
      [],
      parts === 'keys' || (parts === 'entries' && position === 0)
        ? 'string'
        : parts === 'positions' && position === 0
          ? 'int'
          : 'json',
    ),
  ) as [Term, Term];
  const condition = body([first, second], { ...asked, type: undefined, depth: depth + 1 });
  const reason = unplannableReason(condition);
  const said = decided(condition, false);
  if (said === true && operator === 'all') return true;
  const macro =
    said === false && operator === 'exists'
      ? false
      : test(new Unknown({ kind: 'macro', operator, range: value, variables: names, bodies: [toBody(said)] }, 'bool'));
  return reason === undefined ? macro : anyOf(macro, unsayable(reason));
}

const NAMES: { readonly [parts in Parts]: readonly string[] } = {
  items: ['item'],
  positions: ['position', 'item'],
  keys: ['key'],
  entries: ['key', 'value'],
};
