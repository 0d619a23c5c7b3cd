import { kindMatcher } from '../../../compiler/validate/kind-patterns.js';
import { OBSERVED } from '../../cel/runtime/index.js';
import {
  type AuxDataInput,
  type CheckResult,
  type CompiledBundle,
  createEngine,
  delegation,
  type Engine,
  type EngineOptions,
  EvaluationLimitError,
  type TenantDocument,
  tenants as tenantRoles,
  type TenantsOptions,
} from '../../../runtime/engine/index.js';
import { ALLOW, type Attributes, glob, type Instant } from '../../../runtime/policy/index.js';
import { type EffectName, readLine, type RecordedAction, type RecordedCheck, type RecordedResource } from './entry.js';
import { type DecidingFact, LeastFacts, type LoggedCheck } from './least.js';
import { ReducedRequests } from './reduced-request.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { Change, FlipExample, FlipGroup, LeastDecision, LogPlace, ReplayReport } from './report.js';

/** How a log is replayed. */
export interface ReplayOptions {
  /** The program of the policies, by which entries are decided that keep only a part of their requests. */
  readonly program: Program;
  readonly engine: Omit<EngineOptions, 'clock'>;
  /** The document of a tenant and its SHA-256. Absent: what was decided with roles of tenants is not replayed. */
  readonly tenants?: ((tenant: string) => ReplayedTenant) | undefined;
  /** Told once of each document that the policies refuse. Its roles give nothing. */
  readonly onRefused?: TenantsOptions['onRefused'];
  /** Globs. */
  readonly kind: string | undefined;
  readonly action: string | undefined;
  /** The first instant that is looked at, and the first after it that is not. */
  readonly since: Bound | undefined;
  readonly until: Bound | undefined;
  /** How many examples of a group are kept. */
  readonly examples: number;
  /** Whether to find the facts by which each decision is made. */
  readonly least?: boolean;
  /** Is told at first, and after each thousand lines, how many were read. */
  readonly onStep?: (lines: number) => void;
}

/** The document of a tenant; undefined, with an empty digest, for one without roles. */
export interface ReplayedTenant {
  readonly document: TenantDocument | undefined;
  readonly digest: string;
}

/** A point in time, and how it was written, in RFC 3339. */
export interface Bound {
  readonly text: string;
  readonly instant: Instant;
}

/** An audit log. */
export interface Log {
  /** The name in reports. */
  readonly name: string;
  /** Lines in order; undefined for one that is too long to be an entry. */
  readonly lines: AsyncIterable<string | undefined>;
}

/**
 * Decides the requests of audit logs with other policies, at the time of each entry, and compares the decisions with
 * those of the logs. What a log does not have is counted and not decided.
 */
export async function replayLogs(
  logs: readonly Log[],
  compiled: CompiledBundle,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const replay = new LogReplay(compiled, options);
  let read = 0;
  options.onStep?.(read);
  for (const { name, lines } of logs) {
    replay.begin(name);
    for await (const line of lines) {
      replay.add(line);
      read += 1;
      if (read % LINES_OF_STEP === 0) options.onStep?.(read);
    }
  }
  return replay.report();
}

const LINES_OF_STEP = 1_000;
/** The most groups of a report. */
const MOST_GROUPS = 10_000;
/** The most characters of names and examples that a report keeps. */
const MOST_TEXT = 64 * 1024 * 1024;
/** How many facts that are needed are named. */
const MOST_FACTS = 100;
/** The most decisions whose facts are listed. */
const MOST_LEAST = 10_000;
/** How many damaged lines are named. */
const NAMED_LINES = 5;

class LogReplay {
  private readonly engine: Engine;
  private readonly engineOptions: EngineOptions;
  private reducedRequests: ReducedRequests | undefined;
  private readonly leastFacts: LeastFacts | undefined;
  private readonly least: LeastDecision[] = [];
  private readonly matchesKind: (kind: string) => boolean;
  private readonly matchesAction: (action: string) => boolean;
  private now: Instant = { seconds: 0, nanos: 0, offset: 0 };
  private claimsWereRead = false;
  /** Stands for the claims of a request without any. */
  private readonly noClaims: Attributes = observed(() => {
    this.claimsWereRead = true;
  });

  private readonly lines = { total: 0, decisionEntries: 0, accessEntries: 0, other: 0, damaged: 0 };
  private readonly firstDamaged: LogPlace[] = [];
  private readonly logs: string[] = [];
  private place: LogPlace = { log: '', line: 0 };
  private readonly decisions = { replayed: 0, unchanged: 0, widened: 0, narrowed: 0 };
  private readonly notReplayed = {
    plans: 0,
    exceeded: 0,
    oversized: 0,
    masked: 0,
    withoutFacts: 0,
    withoutClaims: 0,
    withoutTenants: 0,
    costly: 0,
  };
  private readonly needs = { decisions: 0, facts: new Map<string, number>() };
  private otherDocuments = 0;
  private readonly groups = new Map<string, Group>();
  private ungrouped = 0;
  private text = 0;

  constructor(
    private readonly compiled: CompiledBundle,
    private readonly options: ReplayOptions,
  ) {
    const { tenants, onRefused } = options;
    this.engineOptions = { ...options.engine, clock: () => this.now };
    this.engine = createEngine(compiled, {
      ...this.engineOptions,
      use:
        compiled.tenantRoles === undefined
          ? [delegation()]
          : [delegation(), tenantRoles({ documents: (tenant) => tenants?.(tenant).document, onRefused })],
    });
    if (options.least === true)
      this.leastFacts = new LeastFacts(options.program, this.engine, compiled.guard, this.engineOptions);
    const [asWritten, asKind] = [makeMatcher(options.kind), kindMatcher(options.kind ?? '*')];
    this.matchesKind = (kind) => asWritten(kind) || asKind(kind);
    this.matchesAction = makeMatcher(options.action);
  }

  /** The lines that follow are of another log. */
  begin(log: string): void {
    this.logs.push(log);
    this.place = { log, line: 0 };
  }

  add(text: string | undefined): void {
    this.lines.total += 1;
    this.place = { log: this.place.log, line: this.place.line + 1 };
    if (text === '') return;
    const line = text === undefined ? ({ kind: 'damaged' } as const) : readLine(text);
    switch (line.kind) {
      case 'damaged':
        this.lines.damaged += 1;
        if (this.firstDamaged.length < NAMED_LINES) this.firstDamaged.push(this.place);
        break;
      case 'other':
        this.lines.other += 1;
        break;
      case 'access':
        this.lines.accessEntries += 1;
        break;
      case 'plan':
        if (this.isInTime(line.time)) this.notReplayed.plans += 1;
        break;
      case 'exceeded':
      case 'oversized':
        if (this.isInTime(line.time)) this.notReplayed[line.kind] += 1;
        break;
      case 'check':
        if (this.isInTime(line.check.time)) this.addCheck(line.check);
        break;
    }
  }

  /** Whether a decision entry of this time is looked at, and is counted. */
  private isInTime(time: Instant): boolean {
    const { since, until } = this.options;
    if (since !== undefined && isBefore(time, since.instant)) return false;
    if (until !== undefined && !isBefore(time, until.instant)) return false;
    this.lines.decisionEntries += 1;
    return true;
  }

  private addCheck(check: RecordedCheck): void {
    this.now = check.time;
    const { isUnknown, isOther } = this.compareDocuments(check);
    for (const recorded of check.resources) {
      const { resource, actions, isMasked } = recorded;
      if (!actions.some(({ action }) => this.matchesAction(action))) continue;
      if (!isMasked && !this.matchesKind(resource.kind)) continue;
      if (isMasked) this.notReplayed.masked += 1;
      else if (recorded.kept === 'none') this.notReplayed.withoutFacts += 1;
      else if (isUnknown) this.notReplayed.withoutTenants += 1;
      else this.decide(check, recorded);
      if (isOther && !isMasked) this.otherDocuments += 1;
    }
  }

  /** Whether the documents of tenants are there that took part in a check, and are those of today. */
  private compareDocuments({ tenants }: RecordedCheck): { readonly isUnknown: boolean; readonly isOther: boolean } {
    const { tenants: known } = this.options;
    const recorded = this.compiled.tenantRoles === undefined ? [] : [...tenants];
    if (known === undefined) return { isUnknown: recorded.some(([, digest]) => digest !== ''), isOther: false };
    return { isUnknown: false, isOther: recorded.some(([tenant, digest]) => digest !== known(tenant).digest) };
  }

  private decide(check: RecordedCheck, recorded: RecordedResource): void {
    try {
      if (!this.decideReduced(check, recorded)) this.decideAll(check, recorded);
    } catch (error) {
      if (!(error instanceof EvaluationLimitError)) throw error;
      this.notReplayed.costly += 1;
    }
  }

  /** Decides a request of which the log keeps less than the policies read; returns whether it is one. */
  private decideReduced(check: RecordedCheck, recorded: RecordedResource): boolean {
    const { kept, principal, resource, auxData, actions } = recorded;
    if (kept === undefined || kept === 'none') return false;
    const { program } = this.options;
    const { engine, engineOptions } = this;
    this.reducedRequests ??= new ReducedRequests(program, engine, this.compiled.guard, engineOptions);
    const reduced = { principal, resource, auxData, actions: actions.map(({ action }) => action), kept };
    if (this.reducedRequests.keepsAll(reduced)) return false;
    const asked = actions.filter(({ action }) => this.matchesAction(action));
    // All of them first: a limit that one exceeds is that of the resource.
    const answers = asked.map(({ action }) => (this.reducedRequests as ReducedRequests).decide(reduced, action));
    for (const [index, before] of asked.entries()) {
      const answer = answers[index] as boolean | ReadonlySet<string>;
      if (typeof answer !== 'boolean') this.countNeeds(answer);
      // Which policy decides may depend on what is not known.
      else
        this.compare(check, recorded, before, {
          ...before,
          effect: answer ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
          policy: '',
        });
    }
    return true;
  }

  private countNeeds(facts: ReadonlySet<string>): void {
    this.needs.decisions += 1;
    for (const fact of facts) this.needs.facts.set(fact, (this.needs.facts.get(fact) ?? 0) + 1);
  }

  /** Decides all actions in one call, because whether a schema applies depends on all of them. */
  private decideAll(check: RecordedCheck, recorded: RecordedResource): void {
    const { principal, resource, auxData, actions } = recorded;
    const claims = auxData ?? { jwt: this.noClaims, jwts: this.noClaims as NonNullable<AuxDataInput['jwts']> };
    const resources = [{ resource, actions: actions.map(({ action }) => action) }];
    this.claimsWereRead = false;
    const [result] = this.engine.check({ principal, resources, auxData: claims }) as readonly [CheckResult];
    if (this.claimsWereRead) {
      this.notReplayed.withoutClaims += 1;
      return;
    }
    for (const [index, before] of actions.entries()) {
      if (!this.matchesAction(before.action)) continue;
      const { effect, matchedPolicy } = result.actions[index] as CheckResult['actions'][number];
      this.compare(check, recorded, before, {
        action: before.action,
        effect: effect === ALLOW ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
        policy: matchedPolicy,
      });
    }
  }

  private compare(
    check: RecordedCheck,
    recorded: RecordedResource,
    before: RecordedAction,
    after: RecordedAction,
  ): void {
    const change = compareEffects(before.effect, after.effect);
    this.addLeast(check, recorded, after);
    this.decisions.replayed += 1;
    this.decisions[change ?? 'unchanged'] += 1;
    if (change === undefined) return;
    const group = this.findGroup(recorded, before.action, change);
    if (group === undefined) {
      this.ungrouped += 1;
      return;
    }
    group.count += 1;
    if (group.examples.length >= this.options.examples) return;
    const example = makeExample(check, recorded, { place: this.place, before, after });
    if (this.hasRoom(measureLength(example))) group.examples.push(example);
  }

  private addLeast(
    { timestamp }: RecordedCheck,
    { principal, resource, auxData, kept }: RecordedResource,
    { action, effect }: RecordedAction,
  ): void {
    if (this.leastFacts === undefined || this.least.length >= MOST_LEAST || kept === 'none') return;
    const request = { principal, resource, auxData, actions: [action], kept };
    const facts = this.findFacts(request, action, effect === 'EFFECT_ALLOW');
    const { kind, id } = resource;
    const of = { timestamp, principal: principal.id, kind, id, action, effect };
    const found = { ...this.place, ...of, ...(facts && { facts }) };
    if (this.hasRoom(measureLength(found))) this.least.push(found);
  }

  /** Undefined if it costs too much to find them. */
  private findFacts(check: LoggedCheck, action: string, allowed: boolean): readonly DecidingFact[] | undefined {
    try {
      return this.leastFacts?.find(check, action, allowed);
    } catch (error) {
      if (!(error instanceof EvaluationLimitError)) throw error;
      return undefined;
    }
  }

  /** Undefined if there are too many. */
  private findGroup({ principal, resource }: RecordedResource, action: string, change: Change): Group | undefined {
    const { kind } = resource;
    const roles = [...principal.roles].sort();
    const key = JSON.stringify([kind, action, roles, change]);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    if (this.groups.size >= MOST_GROUPS || !this.hasRoom(key.length)) return undefined;
    const group = { kind, action, roles, change, count: 0, examples: [] };
    this.groups.set(key, group);
    return group;
  }

  private hasRoom(length: number): boolean {
    if (this.text + length > MOST_TEXT) return false;
    this.text += length;
    return true;
  }

  report(): ReplayReport {
    const { kind, action, since, until } = this.options;
    return {
      version: 1,
      logs: this.logs,
      only: {
        ...(kind !== undefined && { kind }),
        ...(action !== undefined && { action }),
        ...(since !== undefined && { since: since.text }),
        ...(until !== undefined && { until: until.text }),
      },
      lines: { ...this.lines, firstDamaged: this.firstDamaged },
      decisions: this.decisions,
      notReplayed: this.notReplayed,
      needs: {
        decisions: this.needs.decisions,
        facts: [...this.needs.facts]
          .map(([fact, decisions]) => ({ fact, decisions }))
          .sort((one, other) => other.decisions - one.decisions || (one.fact < other.fact ? -1 : 1))
          .slice(0, MOST_FACTS),
      },
      otherDocuments: this.otherDocuments,
      // Keys are JSON, and its order is one of the names.
      flips: [...this.groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group),
      ...(this.leastFacts !== undefined && { least: this.least }),
      ungrouped: this.ungrouped,
    };
  }
}

type Group = Omit<FlipGroup, 'count' | 'examples'> & { count: number; readonly examples: FlipExample[] };

function makeExample(
  { callId, timestamp }: RecordedCheck,
  { principal, resource, auxData }: RecordedResource,
  {
    place,
    before,
    after,
  }: { readonly place: LogPlace; readonly before: RecordedAction; readonly after: RecordedAction },
): FlipExample {
  return {
    ...place,
    callId,
    timestamp,
    principal,
    resource,
    ...(auxData !== undefined && { auxData }),
    before: { effect: before.effect, policy: before.policy },
    after: { effect: after.effect, policy: after.policy },
  };
}

/** Infinite for what is nested too deeply to be shown. */
function measureLength(shown: object): number {
  try {
    return JSON.stringify(shown).length;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function compareEffects(before: EffectName, after: EffectName): Change | undefined {
  if (before === after) return undefined;
  return after === 'EFFECT_ALLOW' ? 'widened' : 'narrowed';
}

/** An empty object that reports every access to it. */
function observed(onRead: () => void): Attributes {
  return new Proxy<Attributes>(
    {},
    {
      get: (target, name, receiver) => {
        if (name === OBSERVED) return true;
        onRead();
        return Reflect.get(target, name, receiver);
      },
      has: (target, name) => {
        onRead();
        return Reflect.has(target, name);
      },
      ownKeys: (target) => {
        onRead();
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor: (target, name) => {
        onRead();
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    },
  );
}

function makeMatcher(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined || pattern === '*') return () => true;
  const matches = glob(pattern);
  return (text) => text === pattern || matches(text);
}

function isBefore(one: Instant, other: Instant): boolean {
  return one.seconds === other.seconds ? one.nanos < other.nanos : one.seconds < other.seconds;
}
