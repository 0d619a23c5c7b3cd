import { allOf, anyOf } from '../residual/condition.js';
import type { Condition } from '../residual/term.js';
import * as validator from '../../packages/json-schema/index.js';
import type { TypeName } from '../../packages/json-schema/json.js';
import { MAX_DEPTH } from '../../packages/json-schema/run.js';
import { findFacts } from './facts.js';
import { unsayable } from './logic.js';
import { plannable, type Schema, type Where } from './schema.js';
import { isOfType, toJsonType } from './types.js';

/** The schema `true`. */
export const anything: Schema = plannable(
  (value, place, run) => validator.anything(value, place, run),
  () => true,
);

/** The schema `false`. */
export const nothing: Schema = plannable(
  (value, place, run) => validator.nothing(value, place, run),
  () => false,
);

/** A schema object without `type`. */
export function anyType(...keywords: readonly Schema[]): Schema {
  return plannable(validator.anyType(...keywords), within(everyKeyword(keywords)));
}

/** A schema object with a `type`: the other keywords are planned for each type separately. */
export function type(types: TypeName | readonly TypeName[], ...keywords: readonly Schema[]): Schema {
  const names = typeof types === 'string' ? [types] : types;
  const told = names.filter((name) => name !== 'integer' || !names.includes('number'));
  const every = everyKeyword(keywords);
  const where: Where = (value, asked) => {
    const each = told.map((name): Condition => {
      const isOf = isOfType(value, name, asked);
      if (isOf === false) return false;
      const others = every(value, { ...asked, type: name });
      return impliesType(others, value, name, asked.isPositive) ? others : allOf(isOf, others);
    });
    return anyOf(...each);
  };
  return plannable(validator.type(types, ...keywords), within(where));
}

/**
 * The keywords of a schema object, and `unevaluatedProperties` or `unevaluatedItems`, which depend on the result of the
 * others.
 */
export function unevaluated(
  schemas: Parameters<typeof validator.unevaluated>[0],
  ...keywords: readonly Schema[]
): Schema {
  const every = everyKeyword(keywords);
  const reason = `the schema keyword ${Object.keys(schemas).join(' and ')}`;
  return plannable(validator.unevaluated(schemas, ...keywords), (value, asked) =>
    allOf(every(value, asked), unsayable(reason)),
  );
}

/** A reference to a schema. */
export function ref(target: () => Schema): Schema {
  return plannable(validator.ref(target), followed(target));
}

/** If no resource around has dynamic anchors, `$dynamicRef` is a reference like any other. */
export function dynamicRef(name: string, target: () => Schema): Schema {
  return plannable(validator.dynamicRef(name, target), followed(target));
}

/** A schema of a resource that has dynamic anchors. */
export function inScope(anchors: { readonly [name: string]: () => Schema }, schema: Schema): Schema {
  return plannable(validator.inScope(anchors, schema), () => unsayable('a schema with dynamic anchors'));
}

/** The place in a schema object. */
function within(where: Where): Where {
  return (value, asked) => {
    if (asked.objects < MAX_DEPTH) return where(value, { ...asked, objects: asked.objects + 1 });
    asked.work.isTooDeep = true;
    return false;
  };
}

function everyKeyword(keywords: readonly Schema[]): Where {
  return (value, asked) => allOf(...keywords.map((keyword) => keyword.where(value, asked)));
}

function followed(target: () => Schema): Where {
  return (value, asked) => {
    const schema = target();
    if (asked.followed.includes(schema)) return unsayable('a schema that refers to itself');
    return schema.where(value, { ...asked, followed: [...asked.followed, schema] });
  };
}

/**
 * Whether the other keywords imply the type: by the values they allow, or by comparisons, which fail for values of
 * other types.
 */
function impliesType(condition: Condition, value: Parameters<Where>[0], name: TypeName, isPositive: boolean): boolean {
  const facts = findFacts(condition, value);
  if (facts === undefined || facts.types.some((one) => one !== toJsonType(name))) return false;
  if (facts.values !== undefined) return name !== 'integer' || facts.values.every((one) => Number.isInteger(one));
  return isPositive && name !== 'integer';
}
