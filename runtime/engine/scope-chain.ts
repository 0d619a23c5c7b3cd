/**
 * The scope a request means: its own or the default, without a leading dot, so that `.` is the root whatever the
 * default (docs/spec/policy-language.md#preparing-a-check).
 */
export function requestedScope(scope: string | undefined, defaultScope: string): string {
  return withoutDot(scope === undefined || scope === '' ? defaultScope : scope);
}

/** A scope as conditions see it (docs/spec/policy-language.md#identifiers). */
export function withoutDot(scope: string): string {
  // Most scopes are empty, which this asks first; `startsWith` is a call.
  return scope !== '' && scope.charCodeAt(0) === DOT ? scope.slice(1) : scope;
}

/** A scope and its ancestors, most specific first: `a.b`, `a`, the root. */
export function scopeChain(scope: string): readonly string[] {
  const chain = [scope];
  for (let current = scope; current !== ''; ) {
    current = current.slice(0, Math.max(0, current.lastIndexOf('.')));
    chain.push(current);
  }
  return chain;
}

const DOT = 0x2e;

/**
 * The scopes that some policy lives in, of whatever kind and version (docs/spec/policy-language.md#preparing-a-check,
 * docs/spec/policy-language.md#scopes).
 */
export class ScopeSet {
  private readonly scopes: ReadonlySet<string>;
  private readonly longest: number;

  constructor(
    scopes: Iterable<string>,
    private readonly lenient: boolean,
  ) {
    this.scopes = new Set(scopes);
    this.longest = Math.max(0, ...[...this.scopes].map((scope) => scope.length));
  }

  /** The first scope of the list a request at `scope` is judged by; undefined when the list is empty. */
  first(scope: string): string | undefined {
    if (this.scopes.has(scope)) return scope;
    return this.lenient ? this.nearestAncestor(scope) : undefined;
  }

  /** The list from a scope of this set on: it and its ancestors that exist. */
  listFrom(scope: string): readonly string[] {
    return scopeChain(scope).filter((candidate) => this.scopes.has(candidate));
  }

  private nearestAncestor(scope: string): string | undefined {
    // What is longer than any scope cannot be one: a very long text from a request costs no more than a short one.
    let end = scope.lastIndexOf('.', this.longest);
    while (end > 0) {
      const ancestor = scope.slice(0, end);
      if (this.scopes.has(ancestor)) return ancestor;
      end = scope.lastIndexOf('.', end - 1);
    }
    return this.scopes.has('') ? '' : undefined;
  }
}
