import { charge, type Failures } from '../../cel/index.js';
import type {
  Attributes,
  AuxData,
  Effect,
  Instant,
  Principal,
  Request,
  Resource,
  TracedBundle,
} from '../../policy/index.js';
import {
  emptyChain,
  type PrincipalChain,
  type PrincipalFinder,
  type PrincipalStep,
  type ResourceChain,
  type ResourceStep,
  type RoleClasses,
  type RoleFinder,
  type ScopeLimits,
} from '../find/chains.js';
import { lineageBits, RoleBits, type RoleNames, type RuleTable } from '../find/tables.js';
import {
  type AuxDataInput,
  type OutputEntry,
  type PrincipalInput,
  type ResourceInput,
  withoutDot,
} from '../requests.js';

/** Neither ALLOW nor DENY. */
export const UNDECIDED = 0;

/** What the rules of a table, a scope or a chain come to. */
export type Outcome = typeof UNDECIDED | Effect;

/** The parts of the engine that judge, where policies need them: bundles bring them. */
export interface Judges {
  /** Present with principal policies. */
  readonly principalJudge?: PrincipalJudge | undefined;
  /** Present with role policies. */
  readonly roleJudge?: RoleJudge | undefined;
  /**
   * Present where somebody can tell in what order, or how often, rules are asked: with outputs, and results that rules
   * share.
   */
  readonly visitRules?: VisitRules | undefined;
}

/** Judges by principal policies. */
export interface PrincipalJudge extends PrincipalFinder {
  /** What the policies of the principal come to; leaves who decided in the evaluation. */
  readonly judge: (evaluation: Evaluation, judges: Judges, chain: PrincipalChain, action: string) => Outcome;
}

/** Judges by role policies, which can only deny. */
export interface RoleJudge extends RoleFinder {
  /** What the policies of the role being judged and its ancestors come to. */
  readonly judge: (evaluation: Evaluation, limits: ScopeLimits, hasRule: boolean, action: string) => Outcome;
}

/** Asks the rules of a table one by one. */
export type VisitRules = (evaluation: Evaluation, table: RuleTable, bits: number, action: string) => Outcome;

/** What a compiled bundle exports as `traced`: in strict evaluation every rule is visited. */
export interface CompiledTraces extends TracedBundle {
  readonly visitRules?: VisitRules;
}

/** Is told what is asked, while policies are asked once more. */
export interface Listener {
  /** A rule is going to be asked. */
  considers(policy: string, rule: string): void;
  /** A derived role is going to be listed; `key` is its policy, `#` and its name. */
  lists(key: string, name: string): void;
  /** What traced conditions tell. */
  readonly failures: Failures;
}

/**
 * What is known while one principal's access to one resource is judged. An engine owns one and fills it anew for each
 * resource, so that a decision allocates nothing.
 */
export class Evaluation {
  /** What conditions see. */
  readonly request: LiveRequest;
  principal: PrincipalChain | undefined = undefined;
  resource: ResourceChain = emptyChain('');
  lineages: ReadonlyMap<string, readonly string[]> | undefined = undefined;
  /** The role being judged and its ancestors. */
  lineage: readonly string[] = NOBODY;

  /**
   * What a decision names as matched (docs/spec/policy-language.md#matched-policy-and-scope): the key of principal or
   * kind, or `NO_MATCH`.
   */
  principalKey = '';
  resourceKey = '';
  /** The policy to name instead: that of a role which denied, or of a rule that failed in strict evaluation. */
  accuser: string | undefined = undefined;
  /** A rule failed in strict evaluation: nothing more is visited for this action. */
  failed = false;

  /** Whether outputs are wanted and some policy has any. */
  collectsOutputs = false;
  outputs: OutputEntry[] = [];
  /** Of the request, in its order; where there are many, one for those that are judged alike. */
  judgedRoles: readonly string[] = NOBODY;
  /** Where there are many and outputs are wanted: then all are judged, as each repeats what the others say. */
  speakers: Speakers | undefined = undefined;
  /** The classes of the roles of the call, where there are many, by chain. */
  roleClasses: Map<ResourceChain, RoleClasses> | undefined = undefined;

  /** Whether anybody can see the active derived roles. */
  listsDerivedRoles = false;

  /** Where is written down what is asked; undefined on the way of an answer. */
  journal: Listener | undefined = undefined;

  private readonly alone: string[] = [''];
  /** First results by rule identity (docs/spec/policy-language.md#rules-that-share-a-name). */
  private readonly results = new FirstResults();
  /** By step: the derived roles active in a scope entered already. */
  private readonly listed: (ListedDerivedRoles | undefined)[] = [];
  /** Whether there is anything in these two. */
  private remembers = false;
  private readonly roleBits = new RoleBits();
  /** All roles of the call, and the ancestors they were found with. */
  private roleSet: ReadonlySet<string> | undefined = undefined;
  private roleSetLineages: Evaluation['lineages'] = undefined;
  private decider: PrincipalStep | ResourceStep | undefined = undefined;
  private isPrincipal = false;
  private decidingAccuser: string | undefined = undefined;

  constructor(
    globals: Attributes,
    clock: () => Instant,
    readonly traced: TracedBundle | undefined,
  ) {
    this.request = new LiveRequest(globals, clock);
  }

  /** Begins a call. */
  begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    this.request.begin(principal, auxData);
    this.roleSet = undefined;
    this.roleClasses = undefined;
  }

  /** Turns to a resource and forgets the one before. The chains are the caller's to set. */
  turnTo(resource: ResourceInput, lineages: ReadonlyMap<string, readonly string[]> | undefined): void {
    this.request.turnTo(resource);
    this.judgedRoles = this.request.principal.roles;
    this.speakers = undefined;
    this.lineages = lineages;
    if (this.remembers) this.forgetResults();
  }

  /** Forgets the action before. */
  beginAction(): void {
    this.failed = false;
    this.decider = undefined;
    this.isPrincipal = false;
    if (this.decidingAccuser !== undefined) this.decidingAccuser = undefined;
  }

  /** Makes a role the one being judged. */
  judge(role: string): void {
    if (this.accuser !== undefined) this.accuser = undefined;
    const lineage = this.lineages?.get(role);
    if (lineage === undefined) this.alone[0] = role;
    this.lineage = lineage ?? this.alone;
  }

  /** The bits by which rules know a role, ancestors aside. */
  bitsOf(role: string, names: RoleNames): number {
    return this.roleBits.ofRole(names, role);
  }

  /** The bits by which rules know the lineage. */
  bitsOfLineage(names: RoleNames): number {
    const { lineage } = this;
    return lineage === this.alone ? this.roleBits.ofRole(names, lineage[0] as string) : lineageBits(names, lineage);
  }

  /** The first result of a rule, if it has been visited in this check. */
  firstResult(identity: unknown): boolean | undefined {
    return this.results.get(identity);
  }

  /** Keeps the first result of a rule for the rest of the check. */
  rememberResult(identity: unknown, holds: boolean): void {
    this.results.add(identity, holds);
    this.remembers = true;
  }

  /** The derived roles of a scope, if it has been entered in this check. */
  listedIn(step: ResourceStep): ListedDerivedRoles | undefined {
    return this.listed[step.index];
  }

  /** Makes the derived roles of a scope those that conditions see. */
  enter(step: ResourceStep, listed: ListedDerivedRoles): void {
    this.listed[step.index] = listed;
    this.remembers = true;
    this.request.effectiveDerivedRoles = listed.active;
    this.request.failedDerivedRoles = listed.failed;
  }

  /** Those of all scopes entered, sorted. */
  get enteredDerivedRoles(): readonly string[] {
    return [...new Set(this.listed.flatMap((listed) => listed?.active ?? []))].sort();
  }

  /** The step of the principal's chain that decided. */
  decidedByPrincipal(step: PrincipalStep): void {
    this.decider = step;
    this.isPrincipal = true;
    if (this.accuser !== undefined) this.decidingAccuser = this.accuser;
  }

  /** The step of the resource's chain that decided; the last call counts. */
  decidedByResource(step: ResourceStep): void {
    this.decider = step;
    if (this.accuser !== this.decidingAccuser) this.decidingAccuser = this.accuser;
  }

  /** The policy that decided, as decisions name it (docs/spec/policy-language.md#matched-policy-and-scope). */
  get matchedPolicy(): string {
    return this.decidingAccuser ?? (this.isPrincipal ? this.principalKey : this.resourceKey);
  }

  /** The scope of what decided. */
  get matchedScope(): string {
    return this.decider?.scope ?? '';
  }

  /** All roles of the request and their ancestors. */
  allRoles(): ReadonlySet<string> {
    const { lineages } = this;
    if (this.roleSet === undefined || lineages !== this.roleSetLineages) {
      this.roleSet = new Set(this.request.principal.roles.flatMap((role) => lineages?.get(role) ?? role));
      this.roleSetLineages = lineages;
    }
    return this.roleSet;
  }

  private forgetResults(): void {
    this.remembers = false;
    this.results.clear();
    this.listed.length = 0;
    this.request.effectiveDerivedRoles = NOBODY;
    this.request.failedDerivedRoles = NOBODY;
  }
}

/** The derived roles that are active in a scope, and in strict evaluation those that failed; sorted. */
export interface ListedDerivedRoles {
  readonly active: readonly string[];
  readonly failed: readonly string[];
}

/** The request conditions see, filled in place: always of one shape, whatever the caller leaves out. */
export class LiveRequest implements Request {
  readonly principal: Mutable<Principal> = { id: '', roles: NOBODY, attr: NO_ATTRIBUTES, policyVersion: '', scope: '' };
  readonly resource: Mutable<Resource> = { kind: '', id: '', attr: NO_ATTRIBUTES, policyVersion: '', scope: '' };
  readonly auxData: Mutable<AuxData> = { jwt: NO_ATTRIBUTES, jwts: NO_TOKENS };
  effectiveDerivedRoles: readonly string[] = NOBODY;
  failedDerivedRoles: readonly string[] = NOBODY;
  failures: Request['failures'] = undefined;
  private instant: Instant | undefined = undefined;

  constructor(
    readonly globals: Attributes,
    private readonly clock: () => Instant,
  ) {}

  /** One instant for the whole call, taken when a condition first asks (docs/spec/policy-language.md#identifiers). */
  get now(): Instant {
    this.instant ??= this.clock();
    return this.instant;
  }

  /** Begins a call. */
  begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    const own = this.principal;
    own.id = principal.id;
    own.roles = principal.roles;
    own.attr = principal.attr ?? NO_ATTRIBUTES;
    own.policyVersion = principal.policyVersion ?? '';
    own.scope = withoutDot(principal.scope ?? '');
    this.auxData.jwt = auxData?.jwt ?? NO_ATTRIBUTES;
    this.auxData.jwts = auxData?.jwts ?? NO_TOKENS;
    if (this.instant !== undefined) this.instant = undefined;
  }

  /** Turns to a resource. */
  turnTo(resource: ResourceInput): void {
    const own = this.resource;
    own.kind = resource.kind;
    own.id = resource.id;
    own.attr = resource.attr ?? NO_ATTRIBUTES;
    own.policyVersion = resource.policyVersion ?? '';
    own.scope = withoutDot(resource.scope ?? '');
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOBODY: readonly string[] = [];
const NO_ATTRIBUTES: Attributes = Object.freeze({});
const NO_TOKENS: AuxData['jwts'] = Object.freeze({});

/**
 * The first results of rules in one check (docs/spec/policy-language.md#rules-that-share-a-name), by what identifies a
 * rule. Mostly few are visited, and looking through a few costs less than a Map, which has to be made anew to be
 * emptied (bench/check.bench.ts, "check").
 */
export class FirstResults {
  private readonly identities: unknown[] = [];
  private readonly results: boolean[] = [];
  private count = 0;
  private readonly others = new Map<unknown, boolean>();

  get(identity: unknown): boolean | undefined {
    for (let i = 0; i < this.count; i++) if (this.identities[i] === identity) return this.results[i];
    return this.count < FEW ? undefined : this.others.get(identity);
  }

  /** Keeps a result that is not known yet. */
  add(identity: unknown, holds: boolean): void {
    if (this.count === FEW) {
      this.others.set(identity, holds);
      return;
    }
    this.identities[this.count] = identity;
    this.results[this.count] = holds;
    this.count++;
  }

  clear(): void {
    this.count = 0;
    if (this.others.size > 0) this.others.clear();
  }
}

const FEW = 12;

/**
 * Which of many roles to judge where outputs are wanted, as each role repeats what the others of its class say. The
 * first of a class may be silent where the next one speaks
 * (docs/spec/policy-language.md#outputs-and-inactive-derived-roles), so two of them speak for all.
 */
export class Speakers {
  private readonly states: Uint8Array;
  /** The place among the first two of each class of the role judged last, while no class is known to speak. */
  private candidate = 0;
  private isAnyLoud = false;
  private said = 0;

  constructor(private readonly classes: RoleClasses) {
    this.states = new Uint8Array(classes.first.length);
  }

  /**
   * The role to judge after one that was judged; `said` is the number of outputs so far. An action begins with the
   * first role.
   */
  next(role: number, said: number): number {
    if (role === 0) this.begin();
    this.learn(role, said);
    const { of, firstTwo } = this.classes;
    if (!this.isAnyLoud) return firstTwo[++this.candidate] ?? of.length;
    let next = role + 1;
    while (next < of.length && this.states[of[next] as number] === SILENT) next++;
    charge(next - role);
    return next;
  }

  private begin(): void {
    this.states.fill(0);
    this.candidate = 0;
    this.isAnyLoud = false;
  }

  private learn(role: number, said: number): void {
    const number = this.classes.of[role] as number;
    const state = this.states[number] as number;
    if (state === 0) this.states[number] = ONCE;
    else if (state === ONCE) {
      this.states[number] = said === this.said ? SILENT : LOUD;
      if (said !== this.said) this.isAnyLoud = true;
    }
    this.said = said;
  }
}

/** What is known of a class: that its first role has been judged; what its second has shown. */
const ONCE = 1;
const SILENT = 2;
const LOUD = 3;
