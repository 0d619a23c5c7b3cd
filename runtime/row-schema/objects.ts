import * as cel from '../../packages/cel/runtime/index.js';
import type { PatternEngine } from '../../packages/cel/runtime/matches.js';
import { call } from '../residual/call.js';
import { allOf, anyOf } from '../residual/condition.js';
import { index, select } from '../residual/selection.js';
import { type Condition, kept, type Term, Unknown } from '../residual/term.js';
import * as validator from '../../packages/json-schema/index.js';
import { findFacts } from './facts.js';
import { makeMacro } from './macros.js';
import { negated, test } from './logic.js';
import { type Asked, isValid, plannable, type Schema } from './schema.js';
import { matches, sizeIs } from './scalars.js';
import { ofType } from './types.js';

/** `properties`. */
export function properties(schemas: { readonly [name: string]: Schema }): Schema {
  return plannable(validator.properties(schemas), (value, asked) =>
    ofType('object', value, asked, () => propertiesHold(value, schemas, asked)),
  );
}

function propertiesHold(value: Term, schemas: { readonly [name: string]: Schema }, asked: Asked): Condition {
  return allOf(
    ...Object.entries(schemas).map(([name, schema]) =>
      ifPresent(value, name, asked, (member) => memberHolds(schema, member, asked)),
    ),
  );
}

/** Where the rows' condition implies a member's schema, it decides: `x == "a"` satisfies an `enum` with `a`. */
function memberHolds(schema: Schema, member: Term, asked: Asked): Condition {
  const { values } = findFacts(asked.facts, member) ?? {};
  if (values !== undefined) {
    const outcomes = new Set(values.map((one) => isValid(schema, one)));
    if (outcomes.size === 1) return outcomes.has(true);
  }
  return schema.where(member, { ...asked, type: undefined });
}

function ifPresent(value: Term, name: string, { facts }: Asked, holds: (member: Term) => Condition): Condition {
  const member = readMember(value, name);
  return anyOf(negated(isPresent(value, name, facts)), holds(member));
}

/** Reads a member, with brackets if the name is not an identifier. */
function readMember(value: Term, name: string): Term {
  return /^[A-Za-z_]\w*$/.test(name) ? select(value, name) : index(value, name);
}

function isPresent(value: Term, name: string, facts: Condition): Condition {
  const member = readMember(value, name);
  // An attribute that the request lists.
  if (!(member instanceof Unknown)) return true;
  return findFacts(facts, member) !== undefined || test(kept('has', [member]));
}

/** `properties`, `patternProperties` and `additionalProperties`. */
export function members(schemas: {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly engine?: PatternEngine;
  readonly additionalProperties?: Schema | false;
}): Schema {
  const { properties: named = {}, patternProperties = {}, engine, additionalProperties: others } = schemas;
  const patterns = Object.entries(patternProperties);
  return plannable(validator.members(schemas), (value, asked) =>
    ofType('object', value, asked, () => {
      const isNamed = (key: Term): readonly Condition[] => [
        ...(Object.keys(named).length === 0 ? [] : [test(call('in', cel.inCollection, key, Object.keys(named)))]),
        ...patterns.map(([pattern]) => matches(key, pattern, engine)),
      ];
      return allOf(
        propertiesHold(value, named, asked),
        ...patterns.map(([pattern, schema]) =>
          makeMacro('entries', value, asked, ([key, member], inner) =>
            anyOf(negated(matches(key, pattern, engine)), schema.where(member, inner)),
          ),
        ),
        othersHold(value, others, isNamed, asked),
      );
    }),
  );
}

function othersHold(
  value: Term,
  schema: Schema | false | undefined,
  isNamed: (key: Term) => readonly Condition[],
  asked: Asked,
): Condition {
  if (schema === undefined) return true;
  if (schema === false) return makeMacro('keys', value, asked, ([key]) => anyOf(...isNamed(key)));
  return makeMacro('entries', value, asked, ([key, member], inner) =>
    anyOf(...isNamed(key), schema.where(member, inner)),
  );
}

/** `required`. */
export function required(...names: readonly string[]): Schema {
  return plannable(validator.required(...names), (value, asked) =>
    ofType('object', value, asked, () => allOf(...names.map((name) => isPresent(value, name, asked.facts)))),
  );
}

/** `minProperties`. */
export function minProperties(least: number): Schema {
  return plannable(validator.minProperties(least), (value, asked) =>
    ofType('object', value, asked, () => sizeIs('ge', value, least)),
  );
}

/** `maxProperties`. */
export function maxProperties(most: number): Schema {
  return plannable(validator.maxProperties(most), (value, asked) =>
    ofType('object', value, asked, () => sizeIs('le', value, most)),
  );
}

/** `propertyNames`. */
export function propertyNames(schema: Schema): Schema {
  return plannable(validator.propertyNames(schema), (value, asked) =>
    ofType('object', value, asked, () =>
      makeMacro('keys', value, asked, ([key], inner) => schema.where(key, { ...inner, type: 'string' })),
    ),
  );
}

/** `dependentRequired`. */
export function dependentRequired(needs: { readonly [name: string]: readonly string[] }): Schema {
  return plannable(validator.dependentRequired(needs), (value, asked) =>
    ofType('object', value, asked, () =>
      allOf(
        ...Object.entries(needs).map(([name, needed]) =>
          ifPresent(value, name, asked, () => allOf(...needed.map((other) => isPresent(value, other, asked.facts)))),
        ),
      ),
    ),
  );
}

/** `dependentSchemas`. */
export function dependentSchemas(schemas: { readonly [name: string]: Schema }): Schema {
  return plannable(validator.dependentSchemas(schemas), (value, asked) =>
    ofType('object', value, asked, () =>
      allOf(
        ...Object.entries(schemas).map(([name, schema]) =>
          ifPresent(value, name, asked, () => schema.where(value, asked)),
        ),
      ),
    ),
  );
}
