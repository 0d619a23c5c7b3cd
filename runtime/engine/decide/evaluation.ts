import { charge, type Failures } from '../../../packages/cel/runtime/index.js';
import type {
  Attributes,
  AuxData,
  DerivedRole,
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
import { lineageBits, type RoleNames, type RuleTable } from '../find/tables.js';
import { convertAttributes, convertClaims } from '../input.js';
import {
  type AuxDataInput,
  type OutputEntry,
  type PrincipalInput,
  refuseActors,
  type ResourceInput,
  withoutDot,
} from '../requests.js';

/** Neither ALLOW nor DENY. */
export const UNDECIDED = 0;

/** The result of the rules of a table, a scope or a chain. */
export type Outcome = typeof UNDECIDED | Effect;

/** The optional parts of check. A bundle brings those that its policies need. */
export interface Judges {
  /** Present with principal policies. */
  readonly principalJudge?: PrincipalJudge | undefined;
  /** Present with role policies. */
  readonly roleJudge?: RoleJudge | undefined;
  /**
   * Present where the order of rules, or how often they are evaluated, shows: with outputs, and with shared results.
   */
  readonly visitRules?: VisitRules | undefined;
  /** Whether they replace those of the engine to be told of all rules that are reached: a survey. */
  readonly surveys?: boolean | undefined;
}

/** Judges by principal policies. */
export interface PrincipalJudge extends PrincipalFinder {
  /** The outcome of the principal's policies; tells the evaluation which one decided. */
  readonly judge: (evaluation: Evaluation, judges: Judges, chain: PrincipalChain, action: string) => Outcome;
}

/** Judges by role policies, which can only deny. */
export interface RoleJudge extends RoleFinder {
  /** The outcome of the policies of the current role and its ancestors. */
  readonly judge: (evaluation: Evaluation, limits: ScopeLimits, hasRule: boolean, action: string) => Outcome;
}

/** Evaluates the rules of a table one by one. */
export type VisitRules = (evaluation: Evaluation, table: RuleTable, bits: number, action: string) => Outcome;

/** What a compiled bundle exports as `traced`: in strict evaluation every rule is visited. */
export interface CompiledTraces extends TracedBundle {
  readonly visitRules?: VisitRules;
}

/** Observes an evaluation that is repeated to explain it. */
export interface Listener {
  /** Called before each resource. */
  beginResource(): void;
  /** Called before a rule is evaluated. */
  considers(policy: string, rule: string): void;
  /** Called before a derived role is evaluated for the list. */
  lists(derivedRole: DerivedRole): void;
  /** What traced conditions report to. */
  readonly failures: Failures;
}

/**
 * The state of one check. An engine has one and fills it again for each resource, so that a decision does not allocate.
 */
export class Evaluation {
  /** What conditions see. */
  readonly request: MutableRequest;
  principal: PrincipalChain | undefined = undefined;
  resource: ResourceChain = emptyChain('');
  lineages: ReadonlyMap<string, readonly string[]> | undefined = undefined;
  /** The current role and its ancestors. */
  lineage: readonly string[] = NOBODY;

  /**
   * What a decision names as matched (docs/spec/policy-language.md#matched-policy-and-scope): the key of principal or
   * kind, or `NO_MATCH`.
   */
  principalKey = '';
  resourceKey = '';
  /** Named instead of these: the role policy that denied, or the policy whose rule failed in strict evaluation. */
  denyingPolicy: string | undefined = undefined;
  /** A rule failed in strict evaluation: nothing more is visited for this action. */
  failed = false;

  /** Whether outputs are requested and some policy has any. */
  collectsOutputs = false;
  outputs: OutputEntry[] = [];
  /** The roles of the request, in its order; if there are many, one of each class. */
  judgedRoles: readonly string[] = NOBODY;
  /** Set if there are many roles and outputs are requested: then all are judged, as each repeats the outputs. */
  outputRoles: OutputRoles | undefined = undefined;
  /** Classes of the roles of the call, by chain, if there are many. */
  roleClasses: Map<ResourceChain, RoleClasses> | undefined = undefined;

  /** Whether a condition, an output or the response reads the active derived roles. */
  listsDerivedRoles = false;

  /** Undefined unless the check is explained. */
  listener: Listener | undefined = undefined;

  private readonly alone: string[] = [''];
  /** First results by rule identity (docs/spec/policy-language.md#rules-that-share-a-name). */
  private readonly results = new FirstResults();
  /** Derived roles of the scopes entered so far, by step. */
  private listed: ListedDerivedRoles[] = [];
  /** Whether `results` or `listed` have an element. */
  private remembers = false;
  /** All roles of the call and their ancestors, and the lineages that these are from. */
  private roleSet: ReadonlySet<string> | undefined = undefined;
  private roleSetLineages: Evaluation['lineages'] = undefined;
  private decider: PrincipalStep | ResourceStep | undefined = undefined;
  private isPrincipal = false;
  private decidingPolicy: string | undefined = undefined;

  constructor(
    globals: Attributes,
    clock: () => Instant,
    readonly traced: TracedBundle | undefined,
    readsWhole: boolean,
  ) {
    this.request = new MutableRequest(globals, clock, readsWhole);
  }

  /** Begins a call. */
  begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    this.request.begin(principal, auxData);
    this.roleSet = undefined;
    this.roleClasses = undefined;
  }

  /** Begins with the next resource. The caller sets the chains. */
  turnTo(resource: ResourceInput, lineages: ReadonlyMap<string, readonly string[]> | undefined): void {
    this.request.turnTo(resource);
    this.judgedRoles = this.request.principal.roles;
    this.outputRoles = undefined;
    this.lineages = lineages;
    if (this.remembers) this.forgetResults();
  }

  /** Begins with the next action. */
  beginAction(): void {
    this.failed = false;
    this.decider = undefined;
    this.isPrincipal = false;
    if (this.decidingPolicy !== undefined) this.decidingPolicy = undefined;
  }

  /** Sets the current role. */
  judge(role: string): void {
    if (this.denyingPolicy !== undefined) this.denyingPolicy = undefined;
    const lineage = this.lineages?.get(role);
    if (lineage === undefined) this.alone[0] = role;
    this.lineage = lineage ?? this.alone;
  }

  /** The bits of the current role and its ancestors together. */
  bitsOfLineage(names: RoleNames): number {
    return lineageBits(names, this.lineage);
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

  /** The active derived roles of all scopes entered, sorted. */
  get enteredDerivedRoles(): readonly string[] {
    const { listed } = this;
    if (listed.length < 2) return [...(listed[0]?.active ?? NOBODY)];
    return [...new Set(listed.flatMap(({ active }) => active))].sort();
  }

  /** The step of the principal's chain that decided. */
  decidedByPrincipal(step: PrincipalStep): void {
    this.decider = step;
    this.isPrincipal = true;
    if (this.denyingPolicy !== undefined) this.decidingPolicy = this.denyingPolicy;
  }

  /** The step of the resource's chain that decided; the last call counts. */
  decidedByResource(step: ResourceStep): void {
    this.decider = step;
    if (this.denyingPolicy !== this.decidingPolicy) this.decidingPolicy = this.denyingPolicy;
  }

  /** The policy that decided, as decisions name it (docs/spec/policy-language.md#matched-policy-and-scope). */
  get matchedPolicy(): string {
    return this.decidingPolicy ?? (this.isPrincipal ? this.principalKey : this.resourceKey);
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
    // Setting a length is a call that leaves compiled code.
    this.listed = [];
    this.request.effectiveDerivedRoles = NOBODY;
    this.request.failedDerivedRoles = NOBODY;
  }
}

/** The derived roles that are active in a scope, and in strict evaluation those that failed; sorted. */
export interface ListedDerivedRoles {
  readonly active: readonly string[];
  readonly failed: readonly string[];
}

/**
 * The request that conditions see. What the caller may leave out is filled in, in objects that serve every call; nothing
 * is written into those of the caller.
 */
export class MutableRequest implements Request {
  auxData: AuxData = NO_AUX_DATA;
  effectiveDerivedRoles: readonly string[] = NOBODY;
  failedDerivedRoles: readonly string[] = NOBODY;
  failures: Request['failures'] = undefined;
  private readonly filled: { readonly principal: Mutable<Principal>; readonly resource: Mutable<Resource> } = {
    principal: { id: '', roles: NOBODY, attr: NO_ATTRIBUTES, policyVersion: '', scope: '' },
    resource: { kind: '', id: '', attr: NO_ATTRIBUTES, policyVersion: '', scope: '' },
  };
  principal: Principal = this.filled.principal;
  resource: Resource = this.filled.resource;
  private instant: Instant | undefined = undefined;

  constructor(
    readonly globals: Attributes,
    private readonly clock: () => Instant,
    /** Whether schemas or traced conditions read the attributes, which do not convert them. */
    private readonly readsWhole: boolean,
  ) {}

  /** One instant for the whole call, taken when a condition first asks (docs/spec/policy-language.md#identifiers). */
  get now(): Instant {
    this.instant ??= this.clock();
    return this.instant;
  }

  /** Begins a call. */
  begin(principal: PrincipalInput, auxData: AuxDataInput | undefined): void {
    refuseActors(principal);
    this.fillPrincipal(principal);
    this.auxData = readAuxData(auxData);
    this.instant = undefined;
  }

  /**
   * Begins a call about one resource for a `decide` that reads neither versions nor scopes: what the caller gives serves
   * as it is, if it has attributes. Actors have been refused.
   */
  asGiven(principal: PrincipalInput, resource: ResourceInput, auxData: AuxDataInput | undefined): this {
    // biome-ignore lint/suspicious/noProto: V8 inlines this, and `getPrototypeOf` only if it knows the hidden class.
    if (principal.attr?.['__proto__'] === PLAIN && principal.attr['toJSON'] === undefined)
      this.principal = principal as Principal;
    else this.fillPrincipal(principal);
    if (auxData != null || this.auxData !== NO_AUX_DATA) this.auxData = readAuxData(auxData);
    return this.about(resource);
  }

  /** Begins such a call of the same principal. */
  about(resource: ResourceInput): this {
    this.instant = undefined;
    // biome-ignore lint/suspicious/noProto: V8 inlines this, and `getPrototypeOf` only if it knows the hidden class.
    if (resource.attr?.['__proto__'] === PLAIN && resource.attr['toJSON'] === undefined)
      this.resource = resource as Resource;
    else this.turnTo(resource);
    return this;
  }

  /** Begins with the next resource. */
  turnTo(resource: ResourceInput): void {
    const filled = this.filled.resource;
    filled.kind = resource.kind;
    filled.id = resource.id;
    filled.attr = this.readAttributes(resource.attr, 'resource.attr');
    filled.policyVersion = resource.policyVersion ?? '';
    filled.scope = withoutDot(resource.scope ?? '');
    this.resource = filled;
  }

  private fillPrincipal(principal: PrincipalInput): void {
    const filled = this.filled.principal;
    filled.id = principal.id;
    filled.roles = principal.roles;
    filled.attr = this.readAttributes(principal.attr, 'principal.attr');
    filled.policyVersion = principal.policyVersion ?? '';
    filled.scope = withoutDot(principal.scope ?? '');
    this.principal = filled;
  }

  private readAttributes(attr: Attributes | undefined, path: string): Attributes {
    return attr == null ? NO_ATTRIBUTES : convertAttributes(attr, path, this.readsWhole);
  }
}

function readAuxData(given: AuxDataInput | undefined): AuxData {
  return given == null ? NO_AUX_DATA : convertClaims(given);
}

const PLAIN: object = Object.prototype;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOBODY: readonly string[] = [];
const NO_ATTRIBUTES: Attributes = Object.freeze({});
const NO_AUX_DATA: AuxData = { jwt: NO_ATTRIBUTES, jwts: Object.freeze({}) };

/**
 * The first results of rules in one check (docs/spec/policy-language.md#rules-that-share-a-name), by rule or memo. Most
 * checks visit few rules, and searching a few costs less than a Map and clearing it (bench/check.bench.ts, "check").
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

  /** Adds a result that is not known yet. */
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
 * Selects which of many roles to judge if outputs are requested, as each role repeats the outputs of its class. The
 * first role of a class may have no outputs where the next one has some
 * (docs/spec/policy-language.md#outputs-and-inactive-derived-roles), so the first two tell for all.
 */
export class OutputRoles {
  private readonly states: Uint8Array;
  /** The index in `firstTwo` of the role judged last, while no class is known to have outputs. */
  private candidate = 0;
  private isAnyWithOutputs = false;
  private outputs = 0;

  constructor(private readonly classes: RoleClasses) {
    this.states = new Uint8Array(classes.first.length);
  }

  /**
   * The role to judge next, by index; `outputs` is the number of outputs so far. An action begins with the first role.
   */
  next(role: number, outputs: number): number {
    if (role === 0) this.begin();
    this.learn(role, outputs);
    const { of, firstTwo } = this.classes;
    if (!this.isAnyWithOutputs) return firstTwo[++this.candidate] ?? of.length;
    let next = role + 1;
    while (next < of.length && this.states[of[next] as number] === WITHOUT_OUTPUTS) next++;
    charge(next - role);
    return next;
  }

  private begin(): void {
    this.states.fill(0);
    this.candidate = 0;
    this.isAnyWithOutputs = false;
  }

  private learn(role: number, outputs: number): void {
    const number = this.classes.of[role] as number;
    const state = this.states[number] as number;
    if (state === 0) this.states[number] = ONCE;
    else if (state === ONCE) {
      this.states[number] = outputs === this.outputs ? WITHOUT_OUTPUTS : WITH_OUTPUTS;
      if (outputs !== this.outputs) this.isAnyWithOutputs = true;
    }
    this.outputs = outputs;
  }
}

/** The state of a class: its first role has been judged; its second role has shown whether it has outputs. */
const ONCE = 1;
const WITHOUT_OUTPUTS = 2;
const WITH_OUTPUTS = 3;
