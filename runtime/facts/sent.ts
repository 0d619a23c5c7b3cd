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
  /** The names of the latest object that had all of them, in order: most requests of a program have the same. */
  private layout: readonly string[] = [];
  private isComplete = false;

  constructor(private readonly all: readonly string[]) {
    this.isComplete = all.length === 0;
  }

  areIn(attr: { readonly [name: string]: unknown } | undefined): boolean {
    if (this.all.length === 0) return true;
    // The engine reads the members of any other object otherwise.
    if (!isPlainObject(attr)) return false;
    const own = attr as { readonly [name: string]: unknown };
    // Members that all objects inherit are not sent: conditions read own ones.
    return (this.isComplete && !isPolluted() && this.hasLayout(own)) || this.haveOwn(own);
  }

  /** Whether an object has the members of the latest one, and a value for each. */
  private hasLayout(own: { readonly [name: string]: unknown }): boolean {
    const { layout } = this;
    let index = 0;
    for (const name in own) {
      if (name !== layout[index]) return false;
      const value = own[name];
      if (value === undefined || value === absent) return false;
      index += 1;
    }
    return index === layout.length;
  }

  private haveOwn(own: { readonly [name: string]: unknown }): boolean {
    for (const name of this.all) {
      const value = Object.hasOwn(own, name) ? own[name] : undefined;
      if (value === undefined || value === absent) return false;
    }
    this.layout = Object.keys(own);
    this.isComplete = this.all.every((name) => this.layout.includes(name));
    return true;
  }
}

/** Whether objects inherit members that a loop over their own would meet. */
function isPolluted(): boolean {
  for (const _ in NO_MEMBERS) return true;
  return false;
}

const NO_MEMBERS = {};

const NO_NAMES = new Names([]);

/** Tests whether a request has every fact that a source provides for it: on the hot path (bench/facts.bench.ts). */
export class SentTest {
  private readonly ofPrincipal: Names;
  private readonly byKind = new Map<string, Names>();
  /** The latest kind: most requests of a program name few. */
  private kind = '';
  private ofKind: Names = NO_NAMES;

  constructor(sources: readonly PreparedSource[]) {
    const findNames = (kind: string | undefined): Names =>
      new Names(sources.filter((source) => source.kind === kind).flatMap(({ facts }) => [...facts.keys()]));
    this.ofPrincipal = findNames(undefined);
    for (const { kind } of sources) if (kind !== undefined) this.byKind.set(kind, findNames(kind));
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
 * does not take what callers send, or says which policies decide.
 */
export function sentTest(sources: readonly PreparedSource[]): SentTest | undefined {
  const isPlain = sources.every(
    ({ when, caller, selects }) =>
      when.scope === undefined && when.version === undefined && caller === 'use' && selects.size === 0,
  );
  return isPlain ? new SentTest(sources) : undefined;
}
