import * as cel from '../../packages/cel/runtime/index.js';
import { call } from '../residual/call.js';
import { allOf, anyOf } from '../residual/condition.js';
import { index } from '../residual/selection.js';
import type { Condition, Term } from '../residual/term.js';
import * as validator from '../../packages/json-schema/index.js';
import { makeMacro, someItem } from './macros.js';
import { test, unsayable } from './logic.js';
import { type Asked, plannable, type Schema } from './schema.js';
import { sizeIs } from './scalars.js';
import { ofType } from './types.js';

/** `items` with one schema for all. */
export function items(schema: Schema): Schema {
  return tuple({ prefixItems: [], rest: schema });
}

/** `prefixItems` and `items`. */
export function tuple(said: { readonly prefixItems: readonly Schema[]; readonly rest?: Schema | false }): Schema {
  const { prefixItems, rest } = said;
  return plannable(validator.tuple(said), (value, asked) =>
    ofType('array', value, asked, () =>
      allOf(
        ...prefixItems.map((schema, position) => itemHolds(schema, value, position, asked)),
        othersHold(rest, value, prefixItems.length, asked),
      ),
    ),
  );
}

function itemHolds(schema: Schema, value: Term, position: number, asked: Asked): Condition {
  const holds = schema.where(index(value, BigInt(position)), { ...asked, type: undefined });
  return holds === true || anyOf(sizeIs('le', value, position), holds);
}

function othersHold(rest: Schema | false | undefined, value: Term, count: number, asked: Asked): Condition {
  if (rest === undefined) return true;
  if (rest === false) return sizeIs('le', value, count);
  if (count === 0) return makeMacro('items', value, asked, ([item], inner) => rest.where(item, inner));
  return makeMacro('positions', value, asked, ([position, item], inner) =>
    anyOf(test(call('lt', cel.lessThan, position, BigInt(count))), rest.where(item, inner)),
  );
}

/** `contains`, `minContains` and `maxContains`: one item, or any number of them. */
export function contains(said: Parameters<typeof validator.contains>[0] & { readonly schema: Schema }): Schema {
  const { schema, minContains, maxContains } = said;
  return plannable(validator.contains(said), (value, asked) =>
    ofType('array', value, asked, () => {
      const least =
        minContains === 0 ||
        (minContains === 1
          ? someItem(value, asked, ([item], inner) => schema.where(item, inner))
          : unsayable('the schema keyword minContains'));
      return allOf(least, maxContains === undefined || unsayable('the schema keyword maxContains'));
    }),
  );
}

/** `minItems`. */
export function minItems(least: number): Schema {
  return plannable(validator.minItems(least), (value, asked) =>
    ofType('array', value, asked, () => sizeIs('ge', value, least)),
  );
}

/** `maxItems`. */
export function maxItems(most: number): Schema {
  return plannable(validator.maxItems(most), (value, asked) =>
    ofType('array', value, asked, () => sizeIs('le', value, most)),
  );
}

/** `uniqueItems`. */
export const uniqueItems: Schema = plannable(
  (value, place, run) => validator.uniqueItems(value, place, run),
  (value, asked) =>
    ofType('array', value, asked, () =>
      test(
        call(
          'eq',
          cel.equals,
          call('size', cel.size, call('distinct', cel.distinct, value)),
          call('size', cel.size, value),
        ),
      ),
    ),
);
