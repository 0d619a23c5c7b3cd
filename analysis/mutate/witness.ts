import type { AccessRequest, EngineOptions } from '#runtime/engine';
import type { Surveyor } from '#runtime/parts';
import type { Request, RoleRule, Rule } from '#runtime/policy';
import type * as ir from '../../compiler/ir/program.js';
import { CandidateCollector } from '../explain/candidates.js';
import { resultsOf } from '../explain/condition-tree.js';
import { nearMisses } from '../explain/near-misses.js';
import type { ProgramBundle } from '../program/bundle.js';
import { surroundingsOf } from '../program/conditions.js';
import { surveyOf } from '../program/survey.js';

/** A request that two sets of policies decide differently. */
export interface Witness {
  readonly request: AccessRequest;
  readonly before: 'ALLOW' | 'DENY';
  readonly after: 'ALLOW' | 'DENY';
}

/** What decides about requests: an engine, for example. */
export interface Decider {
  isAllowed(request: AccessRequest): boolean;
}

const MOST_TRIES = 5000;

/** The options of the engines that are searched: it is the beginning of 2025. */
export const SEARCH_OPTIONS: EngineOptions = { clock: () => ({ seconds: 1_735_689_600, nanos: 0, offset: 0 }) };

/**
 * Searches a request that tells a mutant from the original: from the requests of tests, with other roles and actions
 * and with what conditions compare, by the fewest changes. Undefined if none of 5,000 does.
 *
 * @param bundles of both programs: what is compared comes from their conditions.
 */
export function witnessOf(
  [before, after]: readonly [Decider, Decider],
  bundles: readonly ProgramBundle[],
  seeds: readonly AccessRequest[],
): Witness | undefined {
  const modules = bundles.flatMap((own) => [...own.modules.values()]);
  const roles = [...literals(modules, ({ roles: own }) => own), OTHER_ROLE];
  const actions = [...literals(modules, ({ actions: own }) => own), OTHER_ACTION];
  let tries = 0;
  let found: AccessRequest | undefined;
  const differs = (request: AccessRequest): boolean => {
    tries += 1;
    // The last try ends the search.
    if (tries > MOST_TRIES) return true;
    if (before.isAllowed(request) === after.isAllowed(request)) return false;
    found = request;
    return true;
  };
  const starts = seeds.flatMap((seed) =>
    [seed.principal.roles, [OTHER_ROLE]].flatMap((own) =>
      actions.map((action) => ({ ...seed, principal: { ...seed.principal, roles: own }, action })),
    ),
  );
  for (const start of [...seeds, ...starts]) if (tries <= MOST_TRIES && differs(start)) break;
  for (const start of found === undefined ? [...seeds, ...starts] : []) {
    if (tries > MOST_TRIES || found !== undefined) break;
    const collector = new CandidateCollector(false);
    for (const own of bundles)
      surveyOf(own, SEARCH_OPTIONS, collecting(own, collector))({ ...start, principal: { ...start.principal, roles } });
    nearMisses(start, differs, { candidates: collector.candidates(), roles }, { near: 1 });
  }
  if (found === undefined) return undefined;
  const [was, is] = [before, after].map((engine) => (engine.isAllowed(found as AccessRequest) ? 'ALLOW' : 'DENY'));
  return { request: found, before: was as 'ALLOW', after: is as 'DENY' };
}

/** A role and an action that policies are unlikely to name. */
const OTHER_ROLE = 'someone';
const OTHER_ACTION = 'something';

/** A request about each changed resource policy and derived role, for mutants that no test is near. */
export function requestsAbout(changed: readonly ir.Module[], { modules }: ir.Program): readonly AccessRequest[] {
  const sets = new Set(changed.map(({ key }) => key));
  return modules.flatMap((module) => {
    if (module.kind !== 'resource') return [];
    if (!sets.has(module.key) && !module.derivedRoles.some(({ module: set }) => sets.has(set))) return [];
    const { kindName: kind, version, scope } = module;
    const at = {
      ...(version === 'default' ? {} : { policyVersion: version }),
      ...(scope === '' ? {} : { scope }),
    };
    const [role = OTHER_ROLE] = literals([module], (rule) => rule.roles);
    const principal = { id: 'alice', roles: [role] };
    return [{ principal, resource: { kind, id: 'r1', ...at }, action: OTHER_ACTION }];
  });
}

/** Collects what the conditions that a request reaches compare. */
function collecting({ origins }: ProgramBundle, collector: CandidateCollector): Surveyor {
  const add = (made: Rule | RoleRule | NonNullable<Rule['derivedRole']>, request: Request): void => {
    const origin = origins.get(made);
    const condition = origin?.rule.condition;
    if (origin === undefined || condition === undefined) return;
    const results = resultsOf(condition, (observe) => surroundingsOf(origin.module, request, { observe }));
    collector.addCondition(condition, origin.module, results);
  };
  return {
    rule: (_role, _policy, rule, request) => {
      add(rule, request);
      if (rule.derivedRole !== undefined) add(rule.derivedRole, request);
    },
    limits: (_role, _policy, rules, request) => {
      for (const rule of rules) add(rule, request);
    },
  };
}

/** The names without `*` of rules. */
function literals(modules: readonly ir.Module[], namesOf: (rule: ir.Rule) => readonly string[]): readonly string[] {
  const names = modules.flatMap((module) =>
    module.kind === 'resource' || module.kind === 'principal' ? module.rules.flatMap(namesOf) : [],
  );
  return [...new Set(names)].filter((name) => !name.includes('*')).sort();
}
