import { below } from './apply.js';
import { Evaluated } from './evaluated.js';
import { isObject, type TypeName, findType } from './json.js';
import type { Place } from './place.js';
import type { DynamicScope, Run, Schema } from './run.js';

/** The schema `true`. */
export const anything: Schema = () => true;

/** The schema `false`. */
export const nothing: Schema = (_value, place, run) => run.report(place, 'not allowed');

/** A schema object without `type`: every keyword must hold. */
export function anyType(...keywords: readonly Schema[]): Schema {
  return (value, place, run) => {
    const valid = run.enter() && allHold(keywords, value, place, run);
    run.leave();
    return valid;
  };
}

/**
 * A schema object with a `type`: the other keywords only apply to a value of that type
 * (docs/spec/policy-language.md#validation-errors).
 */
export function type(types: TypeName | readonly TypeName[], ...keywords: readonly Schema[]): Schema {
  const names = typeof types === 'string' ? [types] : types;
  const expected = names.join(' or ');
  return (value, place, run) => {
    const valid =
      run.enter() &&
      (isOneOfTypes(value, names)
        ? allHold(keywords, value, place, run)
        : run.report(place, `expected ${expected}, but got ${findType(value)}`));
    run.leave();
    return valid;
  };
}

/** The keywords of a schema object, and the schemas of the members and items that none of them evaluated. */
export function unevaluated(
  {
    unevaluatedProperties,
    unevaluatedItems,
  }: { readonly unevaluatedProperties?: Schema; readonly unevaluatedItems?: Schema },
  ...keywords: readonly Schema[]
): Schema {
  return (value, place, run) => {
    const outer = run.evaluated;
    const evaluated = new Evaluated();
    run.evaluated = evaluated;
    let valid = allHold(keywords, value, place, run);
    if (unevaluatedProperties !== undefined && isObject(value)) {
      for (const name of Object.keys(value)) {
        if (!evaluated.has(name) && !below(unevaluatedProperties, value[name], place, name, run)) valid = false;
      }
      evaluated.addAll();
    }
    if (unevaluatedItems !== undefined && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (!evaluated.has(index) && !below(unevaluatedItems, item, place, String(index), run)) valid = false;
      }
      evaluated.addAll();
    }
    run.evaluated = outer;
    if (valid) outer?.merge(evaluated);
    return valid;
  };
}

/** A reference to a schema, resolved on first use, as schemas can refer to one another. */
export function ref(target: () => Schema): Schema {
  return (value, place, run) => target()(value, place, run);
}

/**
 * The outermost schema in the current application with a dynamic anchor of that name, or else the one that the
 * reference names.
 */
export function dynamicRef(name: string, target: () => Schema): Schema {
  return (value, place, run) => {
    let found = target;
    for (let scope = run.scope; scope !== undefined; scope = scope.outer) found = scope.anchors.get(name) ?? found;
    return found()(value, place, run);
  };
}

/** A schema of a resource that has dynamic anchors: while it is applied, `dynamicRef` finds them. */
export function inScope(anchors: { readonly [name: string]: () => Schema }, schema: Schema): Schema {
  const named = new Map(Object.entries(anchors));
  return (value, place, run) => {
    const outer = run.scope;
    const scope: DynamicScope = { outer, anchors: named };
    run.scope = scope;
    const valid = schema(value, place, run);
    run.scope = outer;
    return valid;
  };
}

function allHold(keywords: readonly Schema[], value: unknown, place: Place, run: Run): boolean {
  let valid = true;
  for (const keyword of keywords) {
    if (!keyword(value, place, run)) valid = false;
  }
  return valid;
}

function isOneOfTypes(value: unknown, names: readonly TypeName[]): boolean {
  const actual = findType(value);
  return names.some((name) => name === actual || (name === 'integer' && Number.isInteger(value)));
}
