import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AccessRequest, createEngine, type EngineOptions } from '../../runtime/engine/index.js';
import { matchesAny, sanitize } from '../../runtime/policy/index.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffReport, DiffRow } from '../../packages/analysis/diff/report.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import {
  ACTIONS,
  changedSet,
  compiledSet,
  IDS,
  KINDS,
  randomAccess,
  type RandomSet,
  randomSet,
  ROLES,
  SCOPES,
} from '../support/analysis/random-claims.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';

/** The number of sets of policies, and of requests that each claim is tried with; SEED is the first seed. */
const SETS = rounds(60);
const STATED_SETS = rounds(60, 3);
const REQUESTS = 1500;

const test = suite('no request contradicts a claim');

/** A row that says about a request that its decision does not change in a direction. */
function contradicted({ rows }: DiffReport, request: AccessRequest, isWidened: boolean): string | undefined {
  const { principal, resource, action } = request;
  const kind = sanitize(resource.kind);
  const scope = resource.scope ?? '';
  const [isNamedKind, isNamedScope] = [KINDS.some((own) => sanitize(own) === kind), SCOPES.includes(scope)];
  const at = rows.filter(
    (row) =>
      (row.kind === kind || !isNamedKind) &&
      row.version === (resource.policyVersion ?? 'default') &&
      (row.scope === scope || (!isNamedScope && row.scope === 'elsewhere')),
  );
  const about = (candidates: readonly DiffRow[]): readonly DiffRow[] => {
    const named = candidates.filter((row) => row.action === action);
    return named.length > 0 ? named : candidates.filter(({ named }) => !named);
  };
  const own = about(at.filter((row) => row.principal?.id === principal.id));
  const candidates = [...own, ...about(at.filter((row) => row.principal === null))];
  const answers = candidates.map((row) => (isWidened ? row.widened : row.narrowed).answer);
  return answers.some((answer) => answer !== 'no') ? undefined : `rows say ${answers.join() || 'nothing'}`;
}

const optionsOf = (random: Random): EngineOptions => ({
  lenientScopeSearch: random.chance(0.2),
  schemaEnforcement: random.chance(0.7) ? 'reject' : 'none',
});

test('of a difference', async () => {
  const seen = { differences: 0, rows: 0, open: 0 };
  for (let seed = SEED; seed < SEED + SETS; seed += 1) {
    const random = new Random(seed);
    const set = randomSet(random);
    const sets = [set, changedSet(random, set)] as const;
    const [old, new_] = sets.map((each) => compiledSet(each)?.version);
    if (old === undefined || new_ === undefined) continue;
    const engine = optionsOf(random);
    const report = await diffVersions(old, new_, { engine, effort: 1 });
    const [before, after] = [createEngine(await old.compiled(), engine), createEngine(await new_.compiled(), engine)];
    seen.rows += report.rows.length;
    seen.open += report.summary.undecided;
    for (let number = 0; number < REQUESTS; number += 1) {
      const request = randomAccess(random);
      const isWidened = after.isAllowed(request);
      if (before.isAllowed(request) === isWidened || engine.lenientScopeSearch) continue;
      seen.differences += 1;
      const wrong = contradicted(report, request, isWidened);
      assert.is(wrong, undefined, `seed ${seed}: ${JSON.stringify([engine, request, isWidened, sets])}`);
    }
  }
  console.log(JSON.stringify(seen));
  assert.ok(seen.differences > 0, JSON.stringify(seen));
});

interface About {
  readonly resource?: string;
  readonly version?: string;
  readonly scope?: string;
  readonly actions?: readonly string[];
  readonly principal?: {
    readonly id?: string;
    readonly roles?: readonly string[];
    readonly notRoles?: readonly string[];
  };
}

function randomAbout(random: Random): About {
  return {
    ...(random.chance(0.8) && { resource: random.pick([...KINDS, 'memo-*']) }),
    ...(random.chance(0.4) && { version: random.pick(['default', 'v2']) }),
    ...(random.chance(0.4) && { scope: random.pick(SCOPES) }),
    ...(random.chance(0.8) && { actions: random.some([...ACTIONS, 'create*'], 1, 2) }),
    principal: {
      ...(random.chance(0.3) && { id: random.pick([...IDS, 'zed']) }),
      ...(random.chance(0.4) && { roles: random.some(ROLES, 1, 2) }),
      ...(random.chance(0.2) && { notRoles: random.some(ROLES, 1, 1) }),
    },
  };
}

function isAbout(about: About, { principal, resource, action }: AccessRequest): boolean {
  const { id, roles, notRoles = [] } = about.principal ?? {};
  const has = (role: string): boolean => principal.roles.includes(role);
  const kind = sanitize(resource.kind);
  return (
    (about.resource === undefined ||
      about.resource.split('*').map(sanitize).join('*') === kind ||
      matchesAny(about.resource.replaceAll('-', '_'))(kind)) &&
    (about.version === undefined || about.version === (resource.policyVersion ?? 'default')) &&
    (about.scope === undefined || about.scope === (resource.scope ?? '')) &&
    (about.actions === undefined || about.actions.some((pattern) => matchesAny(pattern)(action))) &&
    (id === undefined || id === principal.id) &&
    (roles === undefined || roles.some(has)) &&
    !notRoles.some(has)
  );
}

/** The rule that lets any principal do anything, but for those with policies of their own: `always` is then often true. */
function permissive({ policies, schemas }: RandomSet): RandomSet {
  const rule = { actions: ['*'], effect: 'EFFECT_ALLOW', roles: ['*'] };
  const opened = Object.entries(policies).map(([path, policy]) => {
    if (!('resourcePolicy' in policy)) return [path, policy] as const;
    const { resourcePolicy } = policy as { readonly resourcePolicy: { readonly rules: readonly { effect: string }[] } };
    const rules = [rule, ...resourcePolicy.rules.filter(({ effect }) => effect === 'EFFECT_ALLOW')];
    return [path, { resourcePolicy: { ...resourcePolicy, rules } }] as const;
  });
  return { policies: Object.fromEntries(opened), schemas };
}

test('of a statement', async () => {
  const counts: Record<string, number> = {};
  for (let seed = SEED; seed < SEED + STATED_SETS; seed += 1) {
    const random = new Random(seed);
    const made = randomSet(random);
    const set = random.chance(0.6) ? permissive(made) : made;
    const engine = optionsOf(random);
    const claims = random.times(8, 8, () => {
      const about = randomAbout(random);
      return random.pick([
        { never: about },
        { always: about },
        { always: about },
        { reachable: about },
        { implies: { actions: ['view'], ...about, also: [random.pick(ACTIONS)] } },
      ] as const);
    });
    for (const claim of claims) {
      const compiled = compiledSet(set, { name: 'all', statements: [{ name: 'one', ...claim }] });
      // It names what the set does not have.
      if (compiled === undefined) continue;
      const { version, invariants } = compiled;
      const report = await verifyStatements(version, invariants, { engine, effort: 1 });
      const [statement] = report.statements;
      const [form, about] = Object.entries(claim)[0] as [string, About & { readonly also?: readonly string[] }];
      counts[`${form} ${statement?.answer}`] = (counts[`${form} ${statement?.answer}`] ?? 0) + 1;
      const decider = createEngine(await version.compiled(), engine);
      const validator = createEngine(await version.compiled(), { ...engine, schemaEnforcement: 'warn' });
      const isValid = ({ principal, resource }: AccessRequest, action: string): boolean =>
        engine.schemaEnforcement === 'none' ||
        validator
          .check({ principal, resources: [{ resource, actions: [action] }] })
          .every(({ validationErrors }) => validationErrors.length === 0);
      for (let number = 0; number < REQUESTS; number += 1) {
        const request = randomAccess(random);
        if (!isAbout(about, request) || !isValid(request, request.action)) continue;
        const isAllowed = decider.isAllowed(request);
        const isContradicted =
          form === 'never'
            ? isAllowed
            : form === 'always'
              ? !isAllowed
              : form === 'implies' &&
                isAllowed &&
                (about.also ?? []).some(
                  (action) => isValid(request, action) && !decider.isAllowed({ ...request, action }),
                );
        if (isContradicted && statement?.answer === 'proved')
          assert.unreachable(`seed ${seed}: ${JSON.stringify([claim, engine, request, set])}`);
        const row = statement?.rows.find(
          (own) =>
            own.kind === sanitize(request.resource.kind) &&
            own.version === (request.resource.policyVersion ?? 'default') &&
            own.scope === (request.resource.scope ?? '') &&
            own.action === request.action,
        );
        if (form === 'reachable' && isAllowed && row?.answer === 'refuted')
          assert.unreachable(`seed ${seed}: ${JSON.stringify([claim, engine, request, row, set])}`);
      }
    }
  }
  console.log(JSON.stringify(counts));
  for (const answer of ['proved', 'refuted'])
    assert.ok(
      Object.keys(counts).some((each) => each.endsWith(answer)),
      answer,
    );
});

test.run();
