import { type Attributes, matchesAny, type Request, sanitize } from '../../../runtime/policy/index.js';
import { kindMatcher, kindPatterns } from '../../../compiler/validate/kind-patterns.js';
import { bool, string } from '../../cel/library/types.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { About, InvariantSet } from '../../../compiler/ir/invariants.js';
import type { Match } from '../../../compiler/ir/program.js';
import type { Selecting } from '../decision/decisions.js';
import type { NameClasses } from '../decision/name-classes.js';
import type { Point } from '../question/point.js';
import { and, type Formula, hasRole, not, or } from '../formula/formula.js';
import { holds, makeSurroundings } from '../program/conditions.js';
import { configured, parseInstant } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';

/** How requests are read that leave something out, and the globals of the engine if they are known. */
export interface Reading {
  readonly selecting: Selecting;
  readonly globals: Attributes | undefined;
}

/** The requests that a statement is about (docs/spec/analysis.md#about). */
export class Subject {
  private readonly isKind: (kind: string) => boolean;
  private readonly when: Match | undefined;
  private readonly unless: Match | undefined;

  /** @param set has the conditions of the statement. */
  constructor(
    private readonly about: About,
    private readonly set: InvariantSet,
    private readonly reading: Reading,
  ) {
    this.isKind = kindMatcher(about.resource);
    [this.when, this.unless] = [about.when, about.unless].map((name) =>
      name === undefined ? undefined : conditionNamed(name, set),
    );
  }

  /** The kind, if it is one and not a glob; sanitized. */
  get kind(): string | undefined {
    const { resource } = this.about;
    return resource.includes('*') ? undefined : sanitize(resource);
  }

  /** The kind, or globs that match its kinds. */
  get kinds(): readonly string[] {
    return kindPatterns(this.about.resource);
  }

  /** The roles that it names. */
  get roles(): readonly string[] {
    const { roles, allRoles, notRoles } = this.about.principal;
    return [...roles, ...allRoles, ...notRoles];
  }

  /** The id of the principals, if it is one. */
  get id(): string | undefined {
    return this.about.principal.id;
  }

  /** Whether some requests of a point are. */
  isAbout({ kind, version, scope, principal }: Point): boolean {
    const { about } = this;
    return (
      this.isKind(kind) &&
      (about.version ?? version) === version &&
      (about.scope ?? scope) === scope &&
      (about.principal.id === undefined || principal === undefined || about.principal.id === principal.id)
    );
  }

  /** One of each class of its actions. */
  listActions({ named, others }: NameClasses): readonly string[] {
    const { actions } = this.about;
    const all = [...named, ...others];
    return actions.length === 0 ? all : matching(actions, all);
  }

  /** Whether a request is, besides its point. */
  premise({ named, others }: NameClasses): Formula {
    const { principal } = this.about;
    const { id, roles, allRoles, notRoles } = principal;
    const { conditions: module } = this.set;
    const holding = (condition: Match | undefined): Formula =>
      condition === undefined || { kind: 'holds', condition, module, failedIsNull: false };
    return and(
      // Every principal has a role.
      or(...[...named, ...others].map(hasRole)),
      ...(roles.length === 0 ? [] : [or(...roles.map(hasRole))]),
      ...allRoles.map(hasRole),
      ...notRoles.map((role) => not(hasRole(role))),
      holding(id === undefined ? undefined : isId(id)),
      holding(this.when),
      ...(this.unless === undefined ? [] : [not(holding(this.unless))]),
    );
  }

  /** Whether a concrete request is. */
  covers(situation: Situation): boolean {
    const { about } = this;
    const { principal, resource } = situation.request;
    const { id, roles, allRoles, notRoles } = about.principal;
    const has = (role: string): boolean => principal.roles.includes(role);
    const { defaultPolicyVersion = 'default', defaultScope = '' } = this.reading.selecting;
    return (
      this.isKind(resource.kind) &&
      (about.version === undefined || about.version === (resource.policyVersion || defaultPolicyVersion)) &&
      (about.scope === undefined || about.scope === (resource.scope || defaultScope).replace(/^\./, '')) &&
      (id === undefined || id === principal.id) &&
      (roles.length === 0 || roles.some(has)) &&
      allRoles.every(has) &&
      !notRoles.some(has) &&
      (this.when === undefined || this.isTrue(this.when, situation)) &&
      !(this.unless !== undefined && this.isTrue(this.unless, situation))
    );
  }

  private isTrue(condition: Match, situation: Situation): boolean {
    return holds(condition, makeSurroundings(this.set.conditions, toRequest(situation, this.reading.globals)));
  }
}

/** The names that a literal or a glob of a list matches. */
export function matching(patterns: readonly string[], names: readonly string[]): readonly string[] {
  const matchers = patterns.map((pattern) => matchesAny(pattern));
  return names.filter((name) => matchers.some((matches) => matches(name)));
}

function conditionNamed(name: string, { conditions }: InvariantSet): Match {
  return (
    conditions.definitions.find((definition) => definition.name === name)?.condition ??
    invariant(`the condition ${name} was not lowered`)
  );
}

/** `P.id == "bob"` */
function isId(id: string): Match {
  return {
    kind: 'expr',
    expression: { text: `P.id == ${JSON.stringify(id)}`, spanOf: () => invariant('nobody wrote it') },
    value: {
      kind: 'operator',
      operator: 'equals',
      operands: [
        { kind: 'field', of: 'principal', name: 'id', type: string },
        { kind: 'literal', literal: 'string', value: id, type: string },
      ],
      type: bool,
    },
  };
}

/** What conditions see of a request. */
function toRequest({ request, globals, now }: Situation, known: Attributes | undefined): Request {
  const { principal, resource, auxData } = request;
  return {
    principal: {
      id: principal.id,
      roles: principal.roles,
      attr: principal.attr ?? {},
      policyVersion: principal.policyVersion ?? '',
      scope: (principal.scope ?? '').replace(/^\./, ''),
    },
    resource: {
      kind: resource.kind,
      id: resource.id,
      attr: resource.attr ?? {},
      policyVersion: resource.policyVersion ?? '',
      scope: (resource.scope ?? '').replace(/^\./, ''),
    },
    auxData: { jwt: auxData?.jwt ?? {}, jwts: auxData?.jwts ?? {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: known ?? (configured(globals) as Attributes),
    now: parseInstant(now),
  };
}
