import type { AuditedEngine } from '#runtime/engine';
import type { AuditedBundle } from '../audit/audited-bundle.js';
import type { Config } from '../config.js';
import { release } from '../release.js';
import type { Decider } from '../service/decider.js';
import type { Bundle } from './bundle.js';
import { engineOf } from './engine-of.js';

/** A bundle that decides, or may. */
export interface ServingEngine {
  readonly hash: string;
  readonly engine: AuditedEngine;
  /** As the audit log sees it. */
  readonly audited: AuditedBundle;
}

/** Makes the engine of a bundle and tries it; see `engineOf`. */
export async function servingEngine(config: Config, bundle: Bundle): Promise<ServingEngine> {
  const engine = await engineOf(config, bundle);
  const { hash } = bundle.policies;
  const audited: AuditedBundle = {
    policySource: { embeddedPdp: { commitHash: release.commit, builtAt: release.buildDate, bundleHash: hash } },
    derivedRoles: (request) => engine.check({ ...request, includeMeta: true }).map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
    evaluationErrors: (request) => engine.evaluationErrors(request),
    effectivePolicies: (request) => engine.effectivePolicies(request),
  };
  return { hash, engine, audited };
}

/** Decides by one engine until it is given another: each call sees one. */
export class SwappableDecider implements Decider {
  constructor(public current: ServingEngine) {}

  readonly check: Decider['check'] = (call) => this.current.engine.check(call);
  readonly plan: Decider['plan'] = (call) => this.current.engine.plan(call);
}
