import { type LiteralPattern, literalPattern, matchesPattern, type PatternEngine } from '../cel/runtime/matches.js';
import { below, beside } from './apply.js';
import { isObject } from './json.js';
import type { Place } from './place.js';
import { MAX_TEXT, type Run, type Schema } from './run.js';
import { singleQuoted } from './text.js';

/** The schemas of an object's members, by name and by pattern, and of all others. */
export interface Members {
  readonly properties?: { readonly [name: string]: Schema };
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  /** Engine of the patterns. */
  readonly engine?: PatternEngine;
  /** `false` forbids them. */
  readonly additionalProperties?: Schema | false;
}

/** `properties` without keywords about other members. */
export function properties(schemas: { readonly [name: string]: Schema }): Schema {
  const named = Object.entries(schemas);
  return (value, place, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const [name, schema] of named) {
      if (!Object.hasOwn(value, name)) continue;
      run.evaluated?.add(name);
      if (!below(schema, value[name], place, name, run)) valid = false;
    }
    return valid;
  };
}

/**
 * `properties`, `patternProperties` and `additionalProperties`, which is about the members that the others do not name.
 */
export function members({ properties = {}, patternProperties = {}, engine, additionalProperties }: Members): Schema {
  const named = new Map(Object.entries(properties));
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]): NamePattern => ({ pattern: literalPattern(pattern, engine), schema }),
  );
  return (value, place, run) => {
    if (!isObject(value)) return true;
    const names = Object.keys(value);
    if (!run.spend(names.length * (1 + patterns.length))) return false;
    let valid = true;
    const others: string[] = [];
    for (const name of names) {
      const schemas = schemasFor(name, named, patterns);
      if (schemas.length === 0) others.push(name);
      else run.evaluated?.add(name);
      for (const schema of schemas) {
        if (!below(schema, value[name], place, name, run)) valid = false;
      }
    }
    return additionalHold(additionalProperties, value, others, place, run) && valid;
  };
}

interface NamePattern {
  readonly pattern: LiteralPattern;
  readonly schema: Schema;
}

function schemasFor(
  name: string,
  named: ReadonlyMap<string, Schema>,
  patterns: readonly NamePattern[],
): readonly Schema[] {
  const own = named.get(name);
  const matching = patterns.filter(({ pattern }) => matchesPattern(name, pattern)).map(({ schema }) => schema);
  return own === undefined ? matching : [own, ...matching];
}

function additionalHold(
  schema: Schema | false | undefined,
  value: { readonly [name: string]: unknown },
  others: readonly string[],
  place: Place,
  run: Run,
): boolean {
  if (schema === undefined) return true;
  run.evaluated?.addAll();
  if (schema === false) {
    return (
      others.length === 0 ||
      run.report(place, () => `additionalProperties ${printNames(others.toSorted())} not allowed`)
    );
  }
  let valid = true;
  for (const name of others) {
    if (!below(schema, value[name], place, name, run)) valid = false;
  }
  return valid;
}

/** `required`: one violation names all missing members. */
export function required(...names: readonly string[]): Schema {
  return (value, place, run) => {
    if (!isObject(value)) return true;
    const missing = names.filter((name) => !Object.hasOwn(value, name));
    return missing.length === 0 || run.report(place, () => `missing properties: ${printNames(missing)}`);
  };
}

/** `minProperties`. */
export function minProperties(least: number): Schema {
  return (value, place, run) => {
    if (!isObject(value)) return true;
    const found = Object.keys(value).length;
    return found >= least || run.report(place, `minimum ${least} properties allowed, but found ${found} properties`);
  };
}

/** `maxProperties`. */
export function maxProperties(most: number): Schema {
  return (value, place, run) => {
    if (!isObject(value)) return true;
    const found = Object.keys(value).length;
    return found <= most || run.report(place, `maximum ${most} properties allowed, but found ${found} properties`);
  };
}

/** `propertyNames`: each name, as a string, at the place of its member. */
export function propertyNames(schema: Schema): Schema {
  return (value, place, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const name of Object.keys(value)) {
      if (!below(schema, name, place, name, run)) valid = false;
    }
    return valid;
  };
}

/** `dependentRequired`, and `dependencies` with names: the members that one member requires. */
export function dependentRequired(needs: { readonly [name: string]: readonly string[] }): Schema {
  const entries = Object.entries(needs);
  return (value, place, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const [name, needed] of entries) {
      if (!Object.hasOwn(value, name)) continue;
      for (const other of needed) {
        if (Object.hasOwn(value, other)) continue;
        valid = run.report(
          place,
          () => `property ${singleQuoted(other)} is required, if ${singleQuoted(name)} property exists`,
        );
      }
    }
    return valid;
  };
}

/** `dependentSchemas`, and `dependencies` with schemas: what an object with a member must satisfy. */
export function dependentSchemas(schemas: { readonly [name: string]: Schema }): Schema {
  const entries = Object.entries(schemas);
  return (value, place, run) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const [name, schema] of entries) {
      if (Object.hasOwn(value, name) && !beside(schema, value, place, run)) valid = false;
    }
    return valid;
  };
}

/** The names that fit into a message. */
function printNames(names: readonly string[]): string {
  return names.slice(0, MAX_TEXT).map(singleQuoted).join(', ');
}
