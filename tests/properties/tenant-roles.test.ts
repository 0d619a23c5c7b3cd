import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createEngine,
  delegation,
  type Engine,
  explanations,
  type PrincipalInput,
  type ResourceInput,
  type TenantDocument,
  type TenantRole,
  tenants,
} from '../../runtime/engine/index.js';
import { PolicyEngine } from '../../runtime/engine/engine.js';
import { resolveSettings } from '../../runtime/engine/options.js';
import type { GrantedResource, TenantRoles } from '../../runtime/policy/index.js';
import { filterText, FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { indexMatch as matches } from '../support/oracle/glob-match.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random stores; SEED is the first seed. Each is asked some requests, whose plans are applied to rows. */
const STORES = rounds(40, 15);
const REQUESTS = 10;
const ROWS = 12;

const EXACT: Writing = { shapes: 'flat', nots: 'exact' };

const ROLES = ['user', 'admin', 'guest', 'auditor'];
const NAMES = ['one', 'two', 'three'];
/** As rules find them. */
const KINDS = ['doc', 'album_object', 'leave_request'];
const ACTIONS = ['view', 'edit', 'view:public', 'view:public:x', 'delete'];
const KIND_TEXTS = ['doc', 'album:object', 'leave-request', '*', 'd*', 'album*', 'leave?request'];
const ACTION_TEXTS = [...ACTIONS, '*', 'view:*', 'view*', 'v*w', '*:public', 'view:**'];
const SCOPES = ['a.b', 'a.b', 'a.b', 'a.b', 'a.b.c', 'a.b.c', 'a', 'a.x', ''];

const test = suite('random roles of tenants');

test('a role of a tenant gives what separate checks with its granted roles give, and plans select exactly that', async () => {
  const tally = {
    documents: 0,
    refused: 0,
    decisions: 0,
    allowed: 0,
    byRole: 0,
    selected: 0,
    conditional: 0,
    parts: 0,
  };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: random.chance(0.5), runtime: random.chance(0.5) });
    const { policies: base, traced } = await loaded(compileTexts(policyFiles(documents)));
    const tenantRoles = randomGrants(random);
    const policies = { ...base, tenantRoles };
    const options = {
      defaultScope: random.pick(['', '', 'a.b', '.a.b']),
      lenientScopeSearch: random.chance(0.7),
      ...(random.chance(0.3) && { strictEvaluation: true, traced: await traced() }),
    };
    const document = randomDocument(random, tenantRoles);
    const refusals: string[] = [];
    const ofTenants = tenants({
      documents: (tenant) => (tenant === 'b' ? document : undefined),
      onRefused: (_, error) => void refusals.push(error.message),
    });
    // A role may stand for none, and callers may not ask without roles.
    const alone = new PolicyEngine(base, resolveSettings(options), undefined, undefined, true);
    const engine = createEngine(policies, { ...options, use: [delegation(), ofTenants] });
    const audited = createEngine(policies, {
      ...options,
      traced: await traced(),
      use: [delegation(), ofTenants, explanations()],
    });
    const planners = [FLAT, EXACT, REFERENCE].map((plan) =>
      createEngine(policies, { ...options, plan, use: [delegation(), ofTenants] }),
    );
    const isRefused = !isNarrow(document, tenantRoles);
    tally.documents += 1;
    for (let round = 0; round < REQUESTS; round += 1) {
      const request = randomRequest(random);
      const { actions } = request;
      const resource = { ...request.resource, kind: random.pick(KINDS), scope: random.pick(SCOPES) };
      const principal = {
        ...request.principal,
        scope: random.pick(SCOPES),
        roles: [
          ...random.some(request.principal.roles, 0, 2),
          ...random.some(NAMES, 1, 3).map((name) => `tenant:${name}`),
        ],
      };
      const place = `seed ${seed}, request ${round}`;
      const withRoles = (action: string): PrincipalInput => {
        const given = isRefused
          ? []
          : givenTo(principal, resource, action, document, tenantRoles, options.defaultScope);
        const shipped = principal.roles.filter((role) => !role.startsWith('tenant:'));
        return { ...principal, roles: [...new Set([...shipped, ...given])] };
      };
      const allowed = (action: string, attr: ResourceInput['attr'] = resource.attr): boolean =>
        alone.isAllowed({ principal: withRoles(action), resource: { ...resource, attr }, action });

      const checks = [engine, audited].map(
        (one) => one.check({ principal, resources: [{ resource, actions }], includeMeta: true })[0],
      );
      const prepared = engine.for(principal);
      const outputs: unknown[] = [];
      const derivedRoles = new Set<string>();
      for (const [index, action] of actions.entries()) {
        const expected = allowed(action);
        // Of all actions: the outcome of a rule may be shared by several.
        const [separate] = alone.check({
          principal: withRoles(action),
          resources: [{ resource, actions }],
          includeMeta: true,
        });
        outputs.push(...(separate?.outputs ?? []).filter((output) => output.action === action));
        for (const role of separate?.effectiveDerivedRoles ?? []) derivedRoles.add(role);
        tally.decisions += 1;
        if (expected) tally.allowed += 1;
        const shipped = { ...principal, roles: principal.roles.filter((role) => !role.startsWith('tenant:')) };
        if (expected && !alone.isAllowed({ principal: shipped, resource, action })) tally.byRole += 1;
        for (const result of checks) assert.equal(result?.actions[index], separate?.actions[index], place);
        assert.is(engine.isAllowed({ principal, resource, action }), expected, place);
        assert.is(prepared.can(action, resource), expected, place);
        const roles = engine.tenants?.rolesFor({ principal, resource, action }).roles ?? [];
        assert.equal([...roles].sort(), [...withRoles(action).roles].sort(), place);
      }
      for (const result of checks) {
        assert.equal(result?.outputs, outputs, place);
        assert.equal(result?.effectiveDerivedRoles, [...derivedRoles].sort(), place);
      }
      const explained = audited.explain({ principal, resources: [{ resource, actions }] });
      assert.equal(explained.effectiveDerivedRoles, [[...derivedRoles].sort()], place);
      if (new Set(actions.map((action) => withRoles(action).roles.join())).size > 1) tally.parts += 1;

      const attr = random.chance(0.3) ? randomAttributes(random) : {};
      const { kind, scope, policyVersion } = resource;
      const plans = planners.map((one) =>
        one.plan({ principal, resource: { kind, scope, policyVersion, attr }, actions }),
      );
      const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
      if (plans[0]?.filter.kind === 'KIND_CONDITIONAL') tally.conditional += 1;
      for (let row = 0; row < ROWS; row += 1) {
        const values = { ...randomAttributes(random), ...attr };
        const expected = actions.every((action) => allowed(action, values));
        if (expected) tally.selected += 1;
        for (const [index, { filter }] of plans.entries()) {
          const isSelected = selects(filter, { id: resource.id, attr: values, policyVersion });
          const isRight = isSelected === expected || (expected && (!isWhole || index === 2));
          assert.ok(isRight, `${place}: ${JSON.stringify(values)}\n${filterText(filter)}`);
        }
      }
      withActors(engine, { principal, resource, action: actions[0] as string }, random, place);
    }
    if (isRefused) tally.refused += 1;
    else assert.equal(refusals, [], `seed ${seed}: ${JSON.stringify([tenantRoles, document])}`);
    if (isRefused) assert.ok(refusals.length <= 5, 'told once by each engine');
  }
  console.log(`  seeds ${SEED} to ${SEED + STORES - 1}: ${JSON.stringify(tally)}`);
  assert.ok(tally.byRole > tally.decisions / 100 && tally.conditional > 0 && tally.selected > 0, 'they say too little');
  assert.ok(tally.refused > 0 && tally.refused < tally.documents && tally.parts > 0, 'they say too little');
});

test.run();

/** The roles that the roles of a tenant stand for, straight from the specification. */
function givenTo(
  { scope: own, roles }: PrincipalInput,
  { kind, scope }: ResourceInput,
  action: string,
  document: TenantDocument,
  { grants }: TenantRoles,
  defaultScope: string,
): readonly string[] {
  const isInside = (text: string | undefined): boolean => {
    const whole = (text || defaultScope).replace(/^\./, '');
    return whole === 'a.b' || whole.startsWith('a.b.');
  };
  if (!isInside(own) || !isInside(scope)) return [];
  const covers = ({ resource, actions }: GrantedResource): boolean =>
    matches(sanitized(resource), sanitized(kind)) && actions.some((text) => matches(text, action));
  return roles.flatMap((role) => {
    const mine = role.startsWith('tenant:') ? document.roles[role.slice('tenant:'.length)] : undefined;
    if (mine === undefined || mine.resources?.some(covers) === false) return [];
    return mine.roles.filter((shipped) =>
      grants.some((grant) => grant.role === shipped && grant.resources.some(covers)),
    );
  });
}

function sanitized(kind: string): string {
  return kind.includes('*') || kind.includes('?') ? kind : kind.replace(/[:-]/g, '_');
}

/** Whether each role of a document is granted, and nothing that it names matches what is not. */
function isNarrow({ roles }: TenantDocument, { grants }: TenantRoles): boolean {
  return Object.values(roles).every(
    (role) =>
      role.roles.every((shipped) => grants.some((grant) => grant.role === shipped)) &&
      (role.resources ?? []).every(({ resource, actions }) =>
        actions.every((action) => role.roles.some((shipped) => isGranted(shipped, resource, action, grants))),
      ),
  );
}

function isGranted(shipped: string, resource: string, action: string, grants: TenantRoles['grants']): boolean {
  const within = (text: string, other: string): boolean =>
    other === '*' || text === other || (!text.includes('*') && matches(other, text));
  return grants.some(
    (grant) =>
      grant.role === shipped &&
      grant.resources.some(
        (granted) =>
          within(sanitized(resource), sanitized(granted.resource)) &&
          granted.actions.some((one) => within(action, one)),
      ),
  );
}

function randomGrants(random: Random): TenantRoles {
  return {
    scope: 'a',
    rolePrefix: 'tenant:',
    grants: random.times(2, 5, () => ({
      role: random.pick(ROLES),
      resources: random.times(1, 3, () => ({
        resource: random.pick(KIND_TEXTS),
        actions: random.some(ACTION_TEXTS, 2, 5),
      })),
    })),
  };
}

/** Most of its roles are within the grants; some are not. */
function randomDocument(random: Random, { grants }: TenantRoles): TenantDocument {
  const isHonest = random.chance(0.8);
  const role = (): TenantRole => {
    const roles = random.some(isHonest ? [...new Set(grants.map((grant) => grant.role))] : ROLES, 1, 2);
    if (random.chance(0.4)) return { roles };
    const own = grants.filter((grant) => roles.includes(grant.role)).flatMap(({ resources }) => resources);
    const resources = random.times(1, 2, (): GrantedResource => {
      if (!isHonest || own.length === 0)
        return { resource: random.pick(KIND_TEXTS), actions: random.some(ACTION_TEXTS, 1, 2) };
      const { resource, actions } = random.pick(own);
      const names = ACTIONS.filter((action) => actions.some((text) => matches(text, action)));
      const kinds = KINDS.filter((kind) => matches(sanitized(resource), kind));
      return {
        resource: random.pick([resource, ...kinds]),
        actions: random.some([...new Set([...actions, ...names])], 1, 3),
      };
    });
    return { roles, resources };
  };
  return { tenant: 'b', roles: Object.fromEntries(random.some(NAMES, 1, 3).map((name) => [name, role()])) };
}

/** A chain is allowed what each of it is, whether or not it has roles of tenants. */
function withActors(
  engine: Engine,
  { principal, resource, action }: Parameters<typeof engine.isAllowed>[0],
  random: Random,
  place: string,
): void {
  const other = { ...principal, roles: random.some([...ROLES, 'tenant:one'], 1, 3) };
  const chain = { ...principal, actors: [other] };
  const expected =
    engine.isAllowed({ principal: other, resource, action }) && engine.isAllowed({ principal, resource, action });
  assert.is(engine.isAllowed({ principal: chain, resource, action }), expected, place);
  const [result] = engine.check({ principal: chain, resources: [{ resource, actions: [action] }] });
  assert.is(result?.actions[0]?.allowed, expected, place);
}
