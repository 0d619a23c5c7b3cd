import { isPlainObject } from '../../packages/cel/runtime/index.js';
import type { AccessRequest } from '../engine/index.js';
import { sanitize } from '../policy/index.js';
import type { UsedFact } from './ask.js';
import { factName, type FactRoot } from './fact-names.js';
import { absent, type PreparedSource } from './source.js';

type Sent = Pick<AccessRequest, 'principal' | 'resource'>;

/**
 * A decision of a request with all facts: on the hot path, so the facts are listed when they are read.
 */
export class SentDecision {
  readonly #request: Sent;

  constructor(
    readonly allowed: boolean,
    request: Sent,
  ) {
    this.#request = request;
  }

  get why(): 'policy' | undefined {
    return this.allowed ? undefined : 'policy';
  }

  get facts(): readonly UsedFact[] {
    const { principal, resource } = this.#request;
    return [...listSent('principal.attr', principal.attr), ...listSent('resource.attr', resource.attr)];
  }

  toJSON(): object {
    const { allowed, facts } = this;
    return allowed ? { allowed, facts } : { allowed, why: 'policy', facts };
  }
}

function listSent(root: FactRoot, attr: { readonly [name: string]: unknown } | undefined): readonly UsedFact[] {
  return Object.entries(attr ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [{ fact: factName(root, name), from: 'sent' }],
  );
}

/** The names of attributes that a request has to have. */
class Names {
  constructor(private readonly all: readonly string[]) {}

  areIn(attr: { readonly [name: string]: unknown } | undefined): boolean {
    const { all } = this;
    if (all.length === 0) return true;
    // The engine reads the members of any other object otherwise.
    if (!isPlainObject(attr)) return false;
    const own = attr as { readonly [name: string]: unknown };
    for (let index = 0; index < all.length; index++) {
      const name = all[index] as string;
      const value = own[name];
      // Not one that every object inherits: conditions read own members.
      if (value === undefined || value === absent || !Object.hasOwn(own, name)) return false;
    }
    return true;
  }
}

const NO_NAMES = new Names([]);

/** Tests whether a request has every fact that a source provides for it: on the hot path (bench/facts.bench.ts). */
export class SentTest {
  private readonly ofPrincipal: Names;
  private readonly byKind = new Map<string, Names>();
  /** The latest kind: most requests of a program name few. */
  private kind = '';
  private ofKind: Names = NO_NAMES;

  constructor(sources: readonly PreparedSource[]) {
    const namesOf = (kind: string | undefined): Names =>
      new Names(sources.filter((source) => source.kind === kind).flatMap(({ facts }) => [...facts.keys()]));
    this.ofPrincipal = namesOf(undefined);
    for (const { kind } of sources) if (kind !== undefined) this.byKind.set(kind, namesOf(kind));
  }

  isSent({ principal, resource }: Sent): boolean {
    if (principal.actors !== undefined) return false;
    if (resource.kind !== this.kind) this.turnTo(resource.kind);
    return this.ofPrincipal.areIn(principal.attr) && this.ofKind.areIn(resource.attr);
  }

  private turnTo(kind: string): void {
    this.ofKind = this.byKind.get(kind) ?? this.byKind.get(sanitize(kind)) ?? NO_NAMES;
    this.kind = kind;
  }
}

/**
 * A test whether a request has every fact that a source provides for it. Undefined if a source is only for some requests,
 * or does not take what callers send.
 */
export function sentTest(sources: readonly PreparedSource[]): SentTest | undefined {
  const isPlain = sources.every(
    ({ when, caller }) => when.scope === undefined && when.version === undefined && caller === 'use',
  );
  return isPlain ? new SentTest(sources) : undefined;
}
