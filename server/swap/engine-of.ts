import { type AuditedEngine, createAuditedEngine, type Engine, writingOf } from '#runtime/engine';
import type { PolicyBundle } from '#runtime/policy';
import type { Config } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import type { Bundle } from './bundle.js';

/**
 * Makes the engine of a bundle as the configuration wants it, and tries it. Rejects with a ConfigError for a
 * configuration that the bundle cannot be served with, with whatever was thrown for a bundle that cannot decide.
 */
export async function engineOf(config: Config, { policies, traced }: Bundle): Promise<AuditedEngine> {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, referenceShapes, globals, limits } =
    config.engine;
  const options = {
    defaultPolicyVersion,
    defaultScope,
    lenientScopeSearch,
    strictEvaluation,
    globals,
    limits,
    schemaEnforcement: config.schemaEnforcement,
    plan: writingOf(referenceShapes),
  };
  if (strictEvaluation && traced === undefined)
    throw new ConfigError('strict evaluation needs a bundle with traced conditions', 'engine.strictEvaluation');
  // Log and audit want the errors of conditions too, and nobody else.
  const wantsErrors = strictEvaluation || config.audit.enabled || config.engine.celErrorLogLevel !== 'none';
  const engine = createAuditedEngine(
    policies,
    wantsErrors && traced !== undefined ? { ...options, traced: await traced() } : options,
  );
  tryOut(engine, policies);
  return engine;
}

/** So many policies are asked, for so many of their actions and roles; all of 10,000 would hold up the server. */
const TRIED = { policies: 32, actions: 4, roles: 16 };

/**
 * A check and a plan of the first policies: a bundle for another runtime, or a broken one, throws here and not in a
 * request.
 */
function tryOut(engine: Engine, { resourcePolicies }: PolicyBundle): void {
  const auxData = { jwt: {}, jwts: {} };
  for (const { kind, version, scope, roles, actions: table } of resourcePolicies.slice(0, TRIED.policies)) {
    const principal = { id: 'trial', roles: ['trial', ...[...roles.keys()].slice(0, TRIED.roles)] };
    const actions = ['trial', ...[...table.keys()].slice(0, TRIED.actions)];
    engine.check({
      principal,
      resources: [{ resource: { kind, id: 'trial', policyVersion: version, scope }, actions }],
      auxData,
      includeMeta: true,
    });
    engine.plan({ principal, resource: { kind, policyVersion: version, scope }, actions, auxData });
  }
}
