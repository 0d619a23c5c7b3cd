import { isPlainObject } from '../../packages/cel/runtime/index.js';
import type { AccessRequest } from '../engine/index.js';
import { sanitize } from '../policy/index.js';
import type { UsedFact } from './ask.js';
import { factName, type FactRoot } from './fact-names.js';
import { absent, type PreparedSource } from './source.js';

/**
 * A decision of a request with all facts: on the hot path, so the facts are listed when they are read.
 */
export class SentDecision {
  constructor(
    readonly allowed: boolean,
    private readonly request: Pick<AccessRequest, 'principal' | 'resource'>,
  ) {}

  get why(): 'policy' | undefined {
    return this.allowed ? undefined : 'policy';
  }

  get facts(): readonly UsedFact[] {
    const { principal, resource } = this.request;
    const list = (root: FactRoot, attr: object | undefined): readonly UsedFact[] =>
      Object.keys(attr ?? {}).map((name) => ({ fact: factName(root, name), from: 'sent' }));
    return [...list('principal.attr', principal.attr), ...list('resource.attr', resource.attr)];
  }

  toJSON(): object {
    const { allowed, facts } = this;
    return allowed ? { allowed, facts } : { allowed, why: 'policy', facts };
  }
}

/**
 * A test whether a request has every fact that a source provides for it. Undefined if a source is only for some requests,
 * or does not take what callers send.
 */
export function sentTest(
  sources: readonly PreparedSource[],
): ((request: Pick<AccessRequest, 'principal' | 'resource'>) => boolean) | undefined {
  const isPlain = sources.every(
    ({ when, caller }) => when.scope === undefined && when.version === undefined && caller === 'use',
  );
  if (!isPlain) return undefined;
  const namesOf = (kind: string | undefined): readonly string[] =>
    sources.filter((source) => source.kind === kind).flatMap(({ facts }) => [...facts.keys()]);
  const ofPrincipal = namesOf(undefined);
  const byKind = new Map(sources.flatMap(({ kind }) => (kind === undefined ? [] : [[kind, namesOf(kind)] as const])));
  return ({ principal, resource }) => {
    if (principal.actors !== undefined || (ofPrincipal.length > 0 && !hasAll(principal.attr, ofPrincipal)))
      return false;
    const names = byKind.get(resource.kind) ?? byKind.get(sanitize(resource.kind));
    return names === undefined || hasAll(resource.attr, names);
  };
}

/** Whether an object has own attributes with these names. */
function hasAll(attr: { readonly [name: string]: unknown } | undefined, names: readonly string[]): boolean {
  // The engine reads the members of any other object otherwise.
  if (!isPlainObject(attr)) return false;
  const own = attr as { readonly [name: string]: unknown };
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    // What an object inherits is not an attribute.
    if (!Object.hasOwn(own, name)) return false;
    const value = own[name];
    if (value === undefined || value === absent) return false;
  }
  return true;
}
