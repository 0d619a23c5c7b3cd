import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitClient } from '../../packages/analysis/client/emit.js';
import { projectClient } from '../../packages/analysis/client/project.js';
import { type ClientView, readClientView } from '../../packages/analysis/client/view.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { findZ3, startZ3 } from '../../packages/analysis/solve/z3.js';
import * as cel from '../../packages/cel/runtime/index.js';
import * as client from '../../runtime/client/index.js';
import {
  capabilities,
  createEngine,
  type Engine,
  type PrincipalInput,
  type ResourceInput,
} from '../../runtime/engine/index.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { EFFORT, rounds, SEED } from '../support/effort.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import type { ModelRequest } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';

/*
 * Projections for clients of policies of every structure: whatever the server knows besides, `allowed` and `denied` are
 * what it decides.
 */

const STORES = EFFORT === 'campaign' ? 600 : rounds(100, 5);
/** More than a million at the effort `campaign`: some stores do not compile, and some requests are of other kinds. */
const REQUESTS = EFFORT === 'campaign' ? 2500 : 500;
/** The solver takes longer than all else. */
const PROVED_STORES = EFFORT === 'quick' ? 0 : 100;
const COMPLETIONS = 4;

const test = suite('client projections of random policies');

test('no answer is wrong, nor of the engine about partial rows, for any value of what is only for the server', async () => {
  const z3 = PROVED_STORES === 0 ? undefined : findZ3(ROOT);
  const prover = z3 === undefined ? undefined : makeProver(startZ3(z3), { effort: 3 });
  const counts = { allowed: 0, denied: 0, conditional: 0 };
  const partial = { allowed: 0, denied: 0, conditional: 0 };
  let stores = 0;
  let requests = 0;
  try {
    for (let seed = SEED; seed < SEED + STORES; seed += 1) {
      const random = new Random(seed);
      const compilation = compileTexts(policyFiles(hostileStore(random)));
      const { lowered } = compilation;
      if (lowered === undefined) continue;
      stores += 1;
      const view = randomView(random);
      const ownProver = stores <= PROVED_STORES ? prover : undefined;
      const projection = await projectClient(lowered, view, ownProver);
      if (ownProver !== undefined)
        assert.equal(
          projection.unproved.filter(({ reason }) => reason !== 'resource limit'),
          [],
          `seed ${seed}`,
        );
      const ask = clientOf(emitClient(projection, view, 'h'));
      const { policies } = await loaded(compilation);
      const { server } = view;
      const engines = [{}, { region: 'eu' }].map((globals) =>
        createEngine(policies, { ...server, globals, use: [capabilities()] }),
      );
      for (let round = 0; round < REQUESTS; round += 1) {
        const { principal, resource } = plainly(random, randomRequest(random));
        const complete = random.chance(0.4);
        const own = view.kinds[resource.kind];
        if (own === undefined) continue;
        const shown = given(random, known(attributes(random), own.attributes), complete);
        const shownOfPrincipal = given(random, known(ofPrincipal(random), view.principal.attributes), complete);
        const { attr: _, ...place } = resource;
        const request = {
          principal: { ...principal, attr: shownOfPrincipal },
          resource: { kind: place.kind },
          rows: [{ ...place, attr: shown }],
          actions: own.actions,
          complete,
        };
        const [answers = {}] = ask(request as never);
        requests += 1;
        for (const answer of Object.values(answers)) counts[answer] += 1;
        // A server gets what JSON makes of a row: the object itself may have other members.
        for (const attr of objectsOf(shown)) {
          const [others = {}] = ask({ ...request, rows: [{ ...place, attr }] } as never);
          for (const [action, other] of Object.entries(others))
            if (other !== 'conditional') assert.is(other, answers[action], `seed ${seed}: ${action} of another object`);
        }
        if (round % 5 === 0) {
          const some = { engine: random.pick(engines), principal, place, actions: own.actions };
          const wrong = findWrongPartial(random, some, partial);
          if (wrong !== undefined) assert.unreachable(`seed ${seed}: ${wrong}`);
        }
        if (Object.values(answers).every((answer) => answer === 'conditional')) continue;
        for (let completion = 0; completion < COMPLETIONS; completion += 1) {
          const attr = completed(random, shown, attributes(random), complete ? own.attributes : []);
          const all = complete ? view.principal.attributes : [];
          const whole = { ...principal, attr: completed(random, shownOfPrincipal, ofPrincipal(random), all) };
          const engine = random.pick(engines);
          for (const action of own.actions) {
            if (answers[action] === 'conditional') continue;
            const isAllowed = engine.isAllowed({
              principal: whole as PrincipalInput,
              resource: { ...place, attr: attr as never },
              action,
              auxData: { jwt: { sub: random.pick(['u1', 'u2']) } },
            });
            if (isAllowed !== (answers[action] === 'allowed'))
              assert.unreachable(
                `seed ${seed}: \`${action}\` is ${answers[action]}: ${JSON.stringify({ request, whole, attr, view })}`,
              );
          }
        }
      }
    }
  } finally {
    await prover?.close();
  }
  console.log(
    `  ${stores} stores, ${requests} requests: ${JSON.stringify(counts)}; partial rows: ${JSON.stringify(partial)}`,
  );
  for (const one of Object.values(partial)) assert.ok(one > 5 * stores, 'too few partial rows are tried');
  assert.ok(counts.allowed > 20 * stores && counts.denied > 20 * stores && stores > STORES / 2, 'too little is tried');
});

test.run();

/** Objects that are the same attributes in JSON. */
function objectsOf(shown: object): readonly object[] {
  class Row {
    toJSON(): object {
      return shown;
    }
  }
  return [new Row(), { toJSON: () => shown }, Object.assign(new Row(), { owner: 'u1' })];
}

/** An answer of the engine about a row with some attributes that is wrong for one with more. */
function findWrongPartial(
  random: Random,
  {
    engine,
    principal,
    place,
    actions,
  }: Pick<ModelRequest, 'principal'> & {
    readonly engine: Engine;
    readonly place: Omit<ModelRequest['resource'], 'attr'>;
    readonly actions: readonly string[];
  },
  counts: { allowed: number; denied: number; conditional: number },
): string | undefined {
  const { kind, id, ...where } = place;
  const whole = { ...principal, attr: ofPrincipal(random) } as PrincipalInput;
  const shown = Object.fromEntries(random.some(Object.entries(attributes(random)), 0, 8));
  const row = { ...where, ...(random.chance(0.5) && { id }), attr: shown as never };
  const auxData = { jwt: { sub: random.pick(['u1', 'u2']) } };
  const request = { principal: whole, resource: { kind }, rows: [row], actions, auxData };
  const [answers = {}] = engine.capabilities({ ...request, partial: true });
  for (const answer of Object.values(answers)) counts[answer] += 1;
  for (let completion = 0; completion < COMPLETIONS; completion += 1) {
    const resource = { kind, id, ...where, attr: { ...attributes(random), ...shown } } as ResourceInput;
    for (const action of actions) {
      const answer = answers[action];
      if (
        answer !== 'conditional' &&
        engine.isAllowed({ principal: whole, resource, action, auxData }) !== (answer === 'allowed')
      )
        return `\`${action}\` is ${answer} on a partial row: ${JSON.stringify({ request, resource })}`;
    }
  }
  return undefined;
}

/** The functions of a projection, by those of this process. */
function clientOf(text: string): ReturnType<typeof client.createClient> {
  const body = text.replace(/^import .*$/gm, '').replaceAll('export const', 'const');
  return new Function('c', 'k', `${body}; return capabilities;`)(cel, client) as ReturnType<typeof client.createClient>;
}

/** A random store, with conditions of every shape in place of some. */
function hostileStore(random: Random): readonly Document[] {
  const text = JSON.stringify(randomStore(random, { outputs: false, runtime: random.chance(0.4) }));
  // Half of the stores have no policies of principals, of which a client must not tell.
  const documents = (JSON.parse(text) as readonly Document[]).filter(
    ({ principalPolicy }) => principalPolicy === undefined || random.chance(0.3),
  );
  // Nor globs of roles, which leave all roles open that are not named.
  const hasGlobs = random.chance(0.3);
  return JSON.parse(JSON.stringify(documents), (key, value: unknown) => {
    if (key === 'match') return hostileMatch(random, value);
    if (hasGlobs || !(key === 'roles' || key === 'parentRoles')) return value;
    const roles = (value as readonly string[]).map((role) =>
      role === '*' ? role : role.replace(/^.*[*].*$/, 'guest'),
    );
    return [...new Set(roles)];
  }) as readonly Document[];
}

/** Most requests have no version and one role: of others, less is certain. */
function plainly(random: Random, { principal, resource, ...request }: ModelRequest): ModelRequest {
  const { policyVersion: _, ...ofPrincipals } = principal;
  const { policyVersion: __, ...ofResources } = resource;
  if (random.chance(0.1)) return { principal, resource, ...request };
  const roles = random.chance(0.7) ? [random.pick(principal.roles)] : principal.roles;
  const kind = random.chance(0.9) ? random.pick(['doc', 'album:object']) : resource.kind;
  return { principal: { ...ofPrincipals, roles }, resource: { ...ofResources, kind }, ...request };
}

function hostileMatch(random: Random, value: unknown): unknown {
  if (random.chance(0.5)) return value;
  const leaf = (): string => random.pick(CONDITIONS);
  const expr = random.pick([
    leaf,
    leaf,
    () => `(${leaf()}) && (${leaf()})`,
    () => `(${leaf()}) || (${leaf()})`,
    () => `!(${leaf()})`,
    () => `(${leaf()}) ? (${leaf()}) : (${leaf()})`,
  ])();
  return { expr };
}

const CONDITIONS = [
  'R.attr.list.exists(x, x == P.id)',
  'R.attr.list.all(x, x != "u1")',
  'R.attr.list.exists_one(x, x == P.id)',
  'R.attr.list.exists(i, x, i == 0 && x == P.id)',
  'R.attr.list.exists(x, R.attr.list.exists(x, R.attr.list.exists(y, x != y)))',
  'R.attr.list[0] == P.id',
  'R.attr.list.map(x, x).exists(y, y == "u1")',
  'R.attr.list.filter(x, x == "u1").size() > 0',
  'R.attr.list == ["u1"]',
  'R.attr.map[P.id] == 1',
  'R.attr.map.u1 == 1',
  'R.attr.map.exists(k, k == "u1")',
  'R.attr.map.all(k, v, v == 1)',
  'has(R.attr.map.u1)',
  'size(R.attr.map) == 1',
  'R.attr.map == {"u1": 1}',
  'R.attr.map == R.attr.address',
  'R.attr.shares.exists(s, s.user == P.id && s.role != "x")',
  'R.attr.shares.all(s, has(s.role))',
  'has(R.attr.shares)',
  'R.attr.address.city == "x"',
  'R.attr.address[R.attr.a] == "x"',
  '[?R.attr.?a].size() == 1',
  'R.attr.?a.orValue("x") == "x"',
  'cel.bind(v, R.attr.a, v == "x")',
  'hasIntersection(R.attr.list, P.attr.teams)',
  'P.attr.teams.exists(t, t in R.attr.list)',
  'R.attr.owner == P.id || R.attr.hidden == 1',
  '(R.attr.hidden == 1) && R.attr.flag',
  '!(R.attr.hidden == 1)',
  'R.attr.hidden == 1 ? R.attr.flag : R.attr.owner == P.id',
  'R.attr.flag ? R.attr.hidden == 1 : R.attr.owner == P.id',
  'globals.region == "eu"',
  'request.aux_data.jwt.sub == P.id',
  'P.scope == "a"',
  'timestamp(R.attr.until) > timestamp("2024-01-01T00:00:00Z")',
  'now() > timestamp(R.attr.until)',
  'now() - duration("1h") > timestamp(R.attr.until)',
  'R.attr == {}',
  'R == R',
  'R.attr.a.startsWith("x")',
  'R.attr.n + 1 > 3',
  'R.attr.n > 2 && P.attr.n < 5',
  'R.attr.n == 1',
  'R.id == "r"',
  '"admin" in P.roles',
  'size(P.roles) == 1',
  'R.kind == "doc"',
  'P.id in ["u1", "u2"]',
  'R.attr.a == null',
  'R.attr.a > "w"',
  'R.attr.constructor == "x"',
  'R.attr.toString == "x"',
  '{"a": 1}["a"] == R.attr.n',
  'type(R.attr.n) == double',
  'R.attr.flag',
];

const VALUES: { readonly [name: string]: readonly unknown[] } = {
  a: ['x', 'y', 'z', 5, null],
  b: ['x', 'y'],
  n: [1, 4, 8, '3', -0, 1.5],
  owner: ['u1', 'u2', 'someone', 1],
  flag: [true, false, 'true'],
  list: [[], ['u1'], ['u1', 'u2'], [1, null, 'u1'], [{ user: 'u1' }], 'u1', { u1: 1 }],
  map: [{}, { u1: 1 }, { u1: 2, u2: 1 }, { u1: { deep: 1 } }, ['u1'], 'u1', null],
  shares: [[], [{ user: 'u1' }], [{ user: 'u1', role: 'x' }, { role: 'y' }], [1, { user: 'u2' }], { user: 'u1' }],
  address: [{}, { city: 'x' }, { city: 'y', x: 'x' }, { u1: 1 }, 'x', null],
  until: ['2000-01-01T00:00:00Z', '2900-01-01T00:00:00Z', 'never', 5],
  hidden: [1, 2, 'x', null],
  constructor: ['x', 'y'],
  toString: ['x', 'y'],
};
const OF_PRINCIPAL: { readonly [name: string]: readonly unknown[] } = {
  n: [1, 7, '3'],
  teams: [['u1'], ['t'], [], 'u1'],
};

type Attributes = Record<string, unknown>;

function attributes(random: Random): Attributes {
  return randomOf(random, VALUES);
}

function ofPrincipal(random: Random): Attributes {
  return randomOf(random, OF_PRINCIPAL);
}

function randomOf(random: Random, values: typeof VALUES): Attributes {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, all]) => (random.chance(0.75) ? [[name, random.pick(all)]] : [])),
  );
}

function known(all: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** What a page has loaded: not everything, at any depth. */
function given(random: Random, all: Attributes, isComplete: boolean): Attributes {
  if (isComplete) return all;
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      if (random.chance(0.15)) return random.chance(0.3) ? [[name, undefined]] : [];
      if (Array.isArray(value))
        return [[name, value.map((one: unknown) => (isMap(one) ? given(random, one, false) : one))]];
      return [[name, isMap(value) ? given(random, value, false) : value]];
    }),
  );
}

function isMap(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same with what the server knows besides, at any depth. */
function completed(random: Random, shown: Attributes, more: Attributes, whole: readonly string[]): Attributes {
  const own = Object.fromEntries(
    Object.entries(shown).flatMap(([name, value]) => {
      if (value === undefined) return [];
      if (whole.includes(name)) return [[name, value]];
      if (Array.isArray(value)) return [[name, value.map((one: unknown) => (isMap(one) ? deeper(random, one) : one))]];
      return [[name, isMap(value) ? deeper(random, value) : value]];
    }),
  );
  const others = Object.entries(more).filter(([name]) => !(whole.includes(name) || Object.hasOwn(own, name)));
  return { ...Object.fromEntries(others), ...own };
}

function deeper(random: Random, shown: Attributes): Attributes {
  const more = { city: 'x', user: 'u1', role: random.pick(['x', 'y']), u1: 1, x: 'x', extra: 1 };
  return completed(random, shown, Object.fromEntries(random.some(Object.entries(more), 0, 3)), []);
}

const ATTRIBUTES = Object.keys(VALUES).filter((name) => name !== 'hidden');

function randomView(random: Random): ClientView {
  const kind = (): object => ({
    actions: random.some(['view', 'edit', 'view:public', 'delete'], 2, 3),
    attributes: random.some(ATTRIBUTES, 4, ATTRIBUTES.length),
  });
  const client = {
    kinds: { doc: kind(), 'album:object': kind() },
    principal: { attributes: random.some(['n', 'teams'], 0, 2) },
    scopes: random.some(['a', 'a.b', 'a.b.c', 'z'], 0, 4),
    clock: random.pick(['unknown', 'trusted']),
    server: { lenientScopeSearch: random.chance(0.4), defaultScope: random.pick(['', '', 'a', '.a']) },
  };
  return readClientView(JSON.stringify({ client }));
}
