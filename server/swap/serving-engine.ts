import type { AuditedEngine } from '#runtime/engine';
import type { AuditedBundle } from '../audit/audited-bundle.js';
import type { Config } from '../config.js';
import { release } from '../release.js';
import type { Decider } from '../service/decider.js';
import type { Bundle } from './bundle.js';
import type { DecisionClock } from './decision-clock.js';
import { engineOf } from './engine-of.js';

/** A bundle that decides, or may. */
export interface ServingEngine {
  readonly hash: string;
  readonly engine: AuditedEngine;
  /** As the audit log sees it. */
  readonly audited: AuditedBundle;
  /** The patterns that RE2 serves because the regular expressions of this process are wrong. */
  readonly patternsLeftToRe2: readonly string[];
}

/**
 * Makes the engine of a bundle and tries it; see `engineOf`. The clock, in a server that traces, learns of its schemas.
 */
export async function servingEngine(config: Config, bundle: Bundle, clock?: DecisionClock): Promise<ServingEngine> {
  const engine = await engineOf(
    config,
    clock === undefined ? bundle : { ...bundle, policies: clock.watch(bundle.policies) },
  );
  const { hash } = bundle.policies;
  const audited: AuditedBundle = {
    policySource: { embeddedPdp: { commitHash: release.commit, builtAt: release.buildDate, bundleHash: hash } },
    derivedRoles: (request) =>
      engine.check({ ...request, includeMeta: true }).map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
    evaluationErrors: (request) => engine.evaluationErrors(request),
    effectivePolicies: (request) => engine.effectivePolicies(request),
  };
  return { hash, engine, audited, patternsLeftToRe2: bundle.patternsLeftToRe2?.() ?? [] };
}

/** Decides by one engine until it is given another: each call sees one. */
export class SwappableDecider implements Decider {
  constructor(
    public current: ServingEngine,
    private readonly clock?: DecisionClock,
  ) {}

  readonly check: Decider['check'] = (call, times) =>
    times === undefined || this.clock === undefined
      ? this.current.engine.check(call)
      : this.clock.check(this.current.engine, call, times);

  readonly plan: Decider['plan'] = (call, times) =>
    times === undefined || this.clock === undefined
      ? this.current.engine.plan(call)
      : this.clock.plan(this.current.engine, call, times);

  readonly asOne: Decider['asOne'] = (work) => this.current.engine.asOne(work);
}
