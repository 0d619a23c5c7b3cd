import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policyFiles } from '../support/oracle/documents.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { rounds, roundsUntil, SEED } from '../support/effort.js';
import { HAZARD_ACTIONS, HAZARD_KIND, HAZARD_ROLES, hazardAttributes, hazards } from '../support/facts/hazards.js';
import { PROTOCOLS, type Question } from '../support/facts/protocols.js';
import { answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { Random } from '../support/oracle/random.js';
import { send } from '../support/server/http-client.js';

/*
 * Random policies in two servers: one is sent all attributes, the other fetches them from an origin that fails now and then.
 * All ways of asking give the same answers, down to outputs and derived roles; where a source failed, an answer may be
 * missing, and is never another one.
 */

const test = suite('random policies in servers with sources');

type Row = { readonly [name: string]: unknown };

/** Random policies, and what is asked about them. */
interface World {
  readonly policies: { readonly [path: string]: string };
  readonly kind: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly row: () => Row;
  readonly person: () => Row;
}

const FAMILIES: readonly ((random: Random) => World)[] = [
  (random) => ({
    policies: policyFiles(hazards(random)),
    kind: HAZARD_KIND,
    actions: HAZARD_ACTIONS,
    roles: HAZARD_ROLES,
    row: () => hazardAttributes(random),
    person: () => hazardAttributes(random),
  }),
  (random) => {
    const policies = policyFiles(randomStore(random, { outputs: random.chance(0.5), runtime: true }));
    const requests = Array.from({ length: 20 }, () => randomRequest(random));
    const { resource } = random.pick(requests);
    return {
      policies,
      kind: resource.kind,
      actions: [...new Set(requests.flatMap(({ actions }) => actions))].filter((action) => /^[\w:]+$/.test(action)),
      roles: [...new Set(requests.flatMap(({ principal }) => principal.roles))],
      row: () => randomAttributes(random),
      person: () => ({ n: random.below(10), ...(random.chance(0.5) && { missing: random.pick([true, 1]) }) }),
    };
  },
];

const IDS = ['1', '2', '3', '__proto__', 'a b'];
const PEOPLE = ['u1', 'u2', 'constructor'];
/** Every row has it: a row with no attribute at all is no answer. */
const MARK = 'authz_mark';

/** Rows with their attributes in one order, as a map with all of them has it. */
function rowsOf(ids: readonly string[], make: () => Row): { rows: ReadonlyMap<string, Row>; names: readonly string[] } {
  const made = ids.map((id) => [id, { [MARK]: true, ...make() }] as const);
  const names = [...new Set(made.flatMap(([, row]) => Object.keys(row)))];
  const sorted = (row: Row): Row =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])));
  return { rows: new Map(made.map(([id, row]) => [id, sorted(row)])), names };
}

/** What an origin may answer that it should not. */
function answerWrongly(random: Random, items: readonly Row[], response: ServerResponse): void {
  const json = (value: unknown): void => answerJson(response, value);
  const [first, ...others] = items;
  random.pick<() => void>([
    () => response.writeHead(random.pick([204, 301, 404, 410, 500, 503])).end('[]'),
    () => response.destroy(),
    () => json(others),
    () => json([...items, first]),
    () => json([{ ...first, id: `${String(first?.['id'])}x` }, ...others]),
    () => json([{ ...first, id: undefined }, ...others]),
    () => json([{ id: first?.['id'] }, ...others]),
    () => json([{ ...first, [MARK]: 'true' }, ...others]),
    () => json([{ ...first, [MARK]: 1 }, ...others]),
    () => json({ items }),
    () => json('[]'),
    () => response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(items)),
    () => response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(items)},`),
    () => response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":"1","id":"2"}]'),
  ])();
}

interface Counts {
  answers: number;
  allowed: number;
  unavailable: number;
  bodies: number;
}

const asJson = { 'content-type': 'application/json' };
let origin: Origin;

test.before(async () => {
  origin = await startOrigin();
});
test.after(() => origin.close());

async function compare(random: Random, at: string, counts: Counts): Promise<void> {
  const world = random.pick(FAMILIES)(random);
  let bundle: Awaited<ReturnType<typeof factsBundle>>;
  try {
    bundle = await factsBundle(world.policies);
  } catch {
    // These policies do not compile.
    return;
  }
  const docs = rowsOf(IDS, world.row);
  const people = rowsOf(PEOPLE, world.person);
  const share = random.pick([0, 0, 0.3, 1]);
  let failures = 0;
  origin.answer = (ids, response, { url = '' }) => {
    const { rows } = url.startsWith('/people') ? people : docs;
    const items = ids.flatMap((id) => (rows.has(id) ? [{ ...rows.get(id), id }] : []));
    if (items.length > 0 && random.chance(share)) {
      failures += 1;
      answerWrongly(random, items, response);
    } else answerJson(response, random.chance(0.5) ? items : [...items, { id: 'other', [MARK]: true }].reverse());
  };
  const provides = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => name !== 'id').map((name) => [name, name === MARK ? 'boolean' : 'any']));
  const source = (of: string, path: string, names: readonly string[]) => ({
    of,
    provides: provides(names),
    http: { url: `${origin.url}/${path}?ids={ids}`, maxKeys: random.pick([1, 2, 100]) },
    ...(share === 0 && random.chance(0.5) && { cache: { maxAge: '1h' } }),
  });
  const names = { kinds: [world.kind], actions: world.actions };
  const engine = { strictEvaluation: false };
  const whole = await startFactsServer(bundle, { engine }, {}, names);
  const sourced = await startFactsServer(
    bundle,
    {
      engine,
      sources: {
        deadline: '60s',
        from: { docs: source(world.kind, 'docs', docs.names), people: source('principal', 'people', people.names) },
      },
    },
    {},
    names,
  );
  try {
    for (let round = 0; round < 3; round += 1) {
      const principal = {
        id: random.pick(PEOPLE),
        roles: random.some(world.roles, 1, Math.min(3, world.roles.length)),
      };
      const id = random.pick(IDS);
      const question: Question = { principal, kind: world.kind, id, action: random.pick(world.actions) };
      const all: Question = {
        ...question,
        principal: { ...principal, attr: people.rows.get(principal.id) as Row },
        attr: docs.rows.get(id) as Row,
      };
      const [rest] = PROTOCOLS;
      for (const protocol of PROTOCOLS) {
        const expected = await (protocol.sends ? protocol : rest)?.ask(whole, all);
        failures = 0;
        const outcome = await protocol.ask(sourced, question);
        const told = `${at}, ${protocol.name}: ${JSON.stringify({ all, failures, policies: world.policies })}`;
        if (outcome === 'unavailable' && failures > 0) {
          counts.unavailable += 1;
          continue;
        }
        assert.is(outcome, expected, told);
        counts.answers += 1;
        if (outcome === 'allow') counts.allowed += 1;
      }
      await compareBodies(random, { whole, sourced, world, docs: docs.rows, principal: all.principal }, at, counts);
    }
  } finally {
    await whole.close();
    await sourced.close();
  }

  /** A batch with everything that a response has. */
  async function compareBodies(
    own: Random,
    asked: {
      readonly whole: typeof whole;
      readonly sourced: typeof whole;
      readonly world: World;
      readonly docs: ReadonlyMap<string, Row>;
      readonly principal: Question['principal'];
    },
    where: string,
    found: Counts,
  ): Promise<void> {
    const ids = own.some(IDS, 1, IDS.length);
    const actions = own.some(world.actions, 1, Math.min(3, world.actions.length));
    const includeMeta = own.chance(0.5);
    const body = (attrOf: (id: string) => Row, person: Row): string =>
      JSON.stringify({
        requestId: 'r',
        includeMeta,
        principal: { ...asked.principal, attr: person },
        resources: ids.map((id) => ({ actions, resource: { kind: world.kind, id, attr: attrOf(id) } })),
      });
    const post = (server: typeof whole, text: string) =>
      send(server.httpAddress, 'POST', '/api/check/resources', text, asJson);
    const right = await post(
      asked.whole,
      body((id) => asked.docs.get(id) as Row, asked.principal.attr as Row),
    );
    failures = 0;
    const made = await post(
      asked.sourced,
      body(() => ({}), {}),
    );
    if (made.status === 503 && failures > 0) return;
    const told = `${where}: ${JSON.stringify({ ids, actions, failures, policies: world.policies })}`;
    assert.is(made.status, right.status, `${made.text} ${told}`);
    const bodyOf = ({ text }: typeof made): unknown => ({ ...(JSON.parse(text) as object), authzCallId: '' });
    assert.equal(bodyOf(made), bodyOf(right), told);
    found.bodies += 1;
  }
}

test('all ways of asking answer as if everything had been sent', async () => {
  const counts: Counts = { answers: 0, allowed: 0, unavailable: 0, bodies: 0 };
  const isEnough = (): boolean => counts.answers > 0 && counts.bodies > 0;
  for (const round of roundsUntil(rounds(60, 8), isEnough)) {
    const seed = SEED * 1_000_000 + round;
    await compare(new Random(seed), `seed ${seed}`, counts);
  }
  if (process.env['COUNTS']) console.log(counts);
  assert.ok(isEnough(), JSON.stringify(counts));
});

test.run();
