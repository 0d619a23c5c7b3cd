import { ready } from '../support/analysis/program-version.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import type { VerifiedRow } from '../../packages/analysis/verify/report.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import { sanitize } from '../../compiler/ast/names.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { type Environment, ModelError } from '../support/oracle/context.js';
import { type Match, policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomMatch } from '../support/oracle/random-conditions.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { z3 } from '../support/solve/z3.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of stores, of statements about each, and of requests that a proof is tried with; SEED is the first seed. */
const STORES = rounds(3, 2);
const STATEMENTS = rounds(8, 4);
const REQUESTS = 1000;
/** Whether z3 decides what booleans and search leave open. */
const SOLVER = process.env.SOLVER === '1';

const test = suite('verification of random statements');

const KINDS = ['doc', 'album:object', 'leave-request'];
const ACTIONS = ['view', 'edit', 'view:public', 'delete'];
const ROLES = ['user', 'admin', 'guest', 'auditor', 'stranger'];

interface About {
  readonly resource?: string;
  readonly version?: string;
  readonly scope?: string;
  readonly actions?: readonly string[];
  readonly principal?: {
    readonly id?: string;
    readonly roles?: readonly string[];
    readonly allRoles?: readonly string[];
    readonly notRoles?: readonly string[];
  };
  readonly when?: { readonly match: Match };
  readonly unless?: { readonly match: Match };
}

type Claim =
  | { readonly never: About }
  | { readonly always: About }
  | { readonly reachable: About }
  | { readonly implies: About & { readonly also: readonly string[] } }
  | { readonly final: { readonly rule: string } };

type Request = Parameters<Engine['isAllowed']>[0];

function randomClaim(random: Random, program: Program): Claim {
  const denies = program.modules.flatMap((module) =>
    module.kind === 'resource' || module.kind === 'principal'
      ? module.rules.filter(({ written }) => written === 'deny').map(({ name }) => `${module.key}#${name}`)
      : [],
  );
  const about = randomAbout(random);
  return random.pick([
    () => ({ never: about }),
    () => ({ never: about }),
    () => ({ always: about }),
    () => ({ reachable: about }),
    () => ({ implies: { ...about, also: [random.pick(ACTIONS)] } }),
    () => (denies.length === 0 ? { never: about } : { final: { rule: random.pick(denies) } }),
  ] satisfies (() => Claim)[])();
}

function randomAbout(random: Random): About {
  const names = { variables: [], constants: [], runtime: false };
  const maybe = <T>(chance: number, value: () => T): readonly T[] => (random.chance(chance) ? [value()] : []);
  const [resource] = maybe(0.8, () => random.pick(KINDS));
  const [version] = maybe(0.3, () => random.pick(['default', 'v2']));
  const [scope] = maybe(0.4, () => random.pick(['', 'a', 'a.b']));
  const [actions] = maybe(0.7, () => random.some(ACTIONS, 1, 2));
  const [id] = maybe(0.2, () => random.pick(['u1', 'u2', 'someone']));
  const [roles] = maybe(0.4, () => random.some(ROLES, 1, 2));
  const [allRoles] = maybe(0.2, () => random.some(ROLES, 1, 2));
  const [notRoles] = maybe(0.4, () => random.some(ROLES, 1, 3));
  const [when] = maybe(0.4, () => ({ match: randomMatch(random, names) }));
  const [unless] = maybe(0.4, () => ({ match: randomMatch(random, names) }));
  // Undefined members are not written.
  return JSON.parse(
    JSON.stringify({ resource, version, scope, actions, principal: { id, roles, allRoles, notRoles }, when, unless }),
  ) as About;
}

/** Whether a statement is about a request, by its definition. */
function isAbout(about: About, { principal, resource, action }: Request): boolean {
  const { id, roles, allRoles = [], notRoles = [] } = about.principal ?? {};
  const has = (role: string): boolean => principal.roles.includes(role);
  const environment = {
    principal: { attr: {}, scope: '', policyVersion: '', ...principal },
    resource: { attr: {}, policyVersion: '', ...resource, scope: (resource.scope ?? '').replace(/^\./, '') },
    variables: {},
    constants: {},
    globals: {},
  } as unknown as Environment;
  return (
    (about.resource === undefined || sanitize(about.resource) === sanitize(resource.kind)) &&
    (about.version ?? 'default') ===
      (about.version === undefined ? 'default' : (resource.policyVersion ?? 'default')) &&
    (about.scope === undefined || about.scope === (resource.scope ?? '').replace(/^\./, '')) &&
    (about.actions === undefined || about.actions.includes(action)) &&
    (id === undefined || id === principal.id) &&
    (roles === undefined || roles.some(has)) &&
    allRoles.every(has) &&
    !notRoles.some(has) &&
    (about.when === undefined || isTrue(about.when.match, environment)) &&
    !(about.unless !== undefined && isTrue(about.unless.match, environment))
  );
}

function isTrue(match: Match, environment: Environment): boolean {
  if ('all' in match) return match.all.of.every((part) => isTrue(part, environment));
  if ('any' in match) return match.any.of.some((part) => isTrue(part, environment));
  if ('none' in match) return !match.none.of.some((part) => isTrue(part, environment));
  try {
    return tinyCel(match.expr, environment) === true;
  } catch (error) {
    if (error instanceof ModelError) return false;
    throw error;
  }
}

/** Whether a request refutes a statement; of `reachable`, whether it shows that its action is. */
function shows(claim: Claim, request: Request, engine: Engine, applies: (rule: string) => boolean): boolean {
  const isAllowed = (action: string): boolean => engine.isAllowed({ ...request, action });
  if ('never' in claim) return isAbout(claim.never, request) && isAllowed(request.action);
  if ('always' in claim) return isAbout(claim.always, request) && !isAllowed(request.action);
  if ('reachable' in claim) return isAbout(claim.reachable, request) && isAllowed(request.action);
  if ('implies' in claim)
    return (
      isAbout(claim.implies, request) &&
      isAllowed(request.action) &&
      !claim.implies.also.every((also) => isAllowed(also))
    );
  return isAllowed(request.action) && applies(claim.final.rule);
}

test('each proof holds for random requests, and each refutation is one', async () => {
  const counts: Record<string, number> = {};
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const files = policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.2) }));
    const store = compileTexts(files);
    const { policies } = await loaded(store);
    const program = store.program as Program;
    const lowered = store.lowered as Program;
    const options = {
      lenientScopeSearch: random.chance(0.3),
      clock: () => ({ seconds: 1_735_689_600, nanos: 0, offset: 0 }),
    };
    const engine = createEngine(policies, options);
    const explainer = makeExplainer(fold(lowered), options);
    const requests = random
      .times(REQUESTS, REQUESTS, () => randomRequest(random))
      .flatMap(({ principal, resource, actions }) =>
        actions.map((action): Request => ({ principal, resource, action })),
      );
    for (let number = 0; number < STATEMENTS; number += 1) {
      const claim = randomClaim(random, program);
      const statement = { name: 'one', ...claim };
      const document = { apiVersion: 'api.authz.dev/v1', invariants: { name: 'all', statements: [statement] } };
      const { invariants } = compileTexts({ ...files, 'invariants.json': JSON.stringify(document) });
      // It names what the store does not have.
      if (invariants.length === 0) continue;
      const version = { source: '', program, lowered, ...ready(policies) };
      const report = await verifyStatements(version, invariants, {
        engine: { lenientScopeSearch: options.lenientScopeSearch },
        effort: 1,
        ...(SOLVER && { prover: () => Promise.resolve(makeProver(z3(), { effort: 1 })) }),
      });
      const detail = `seed ${seed}, statement ${number}: ${JSON.stringify(claim)}`;
      const [verified] = report.statements;
      const form = Object.keys(claim)[0] as string;
      const answer = `${form} ${verified?.reason ?? verified?.answer}`;
      counts[answer] = (counts[answer] ?? 0) + 1;
      const isShown = (request: Request): boolean =>
        shows(claim, request, engine, (rule) =>
          explainer
            .explain(request)
            .steps.some(({ policy, rules }) =>
              rules.some((own) => `${policy}#${own.name}` === rule && own.result === 'applies'),
            ),
        );
      for (const { request, ...row } of verified?.rows ?? [])
        if (request !== undefined)
          assert.ok(
            isShown({ ...request, principal: request.principal }),
            `${detail} ${JSON.stringify([row, request])}`,
          );
      const isReachable = form === 'reachable';
      const proofs = (verified?.rows ?? []).filter(
        ({ answer: own, request }) => own !== 'undecided' && request === undefined,
      );
      if (proofs.length > 0 && (isReachable || verified?.answer === 'proved'))
        for (const request of requests)
          if (isShown(request) && (!isReachable || proofs.some((row) => isRow(row, request))))
            assert.unreachable(`${detail} is refuted by ${JSON.stringify(request)}`);
    }
  }
  console.log(JSON.stringify(counts));
  for (const answer of ['never proved', 'never refuted']) assert.ok((counts[answer] ?? 0) > 0, answer);
});

function isRow({ kind, version, scope, action }: VerifiedRow, request: Request): boolean {
  const { resource } = request;
  return (
    sanitize(resource.kind) === kind &&
    (resource.policyVersion ?? 'default') === version &&
    (resource.scope ?? '').replace(/^\./, '') === scope &&
    request.action === action
  );
}

test.run();
