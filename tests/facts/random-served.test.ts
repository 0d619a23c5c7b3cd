import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policyFiles } from '../support/oracle/documents.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { roundsUntil, sampleOf, SEED } from '../support/effort.js';
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

/** What an origin may answer that it should not. `isSlow`: also nothing, for longer than the server waits. */
function answerWrongly(random: Random, items: readonly Row[], response: ServerResponse, isSlow: boolean): void {
  const json = (value: unknown): void => answerJson(response, value);
  const [first, ...others] = items;
  const text = JSON.stringify(items);
  const half = text.slice(0, text.length / 2);
  const head = (headers: object = {}): ServerResponse =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
  random.pick<() => void>([
    ...(isSlow ? [() => {}, () => void head().write(half)] : []),
    // Cut off, with and without a length that says so.
    () => void head().write(half, () => response.destroy()),
    () => void head({ 'content-length': text.length }).write(half, () => response.destroy()),
    () => head({ 'content-length': Buffer.byteLength(half) }).end(half),
    () => head().end(half),
    // What it is not: compressed, in another encoding, too long, too deep, several documents.
    () => head({ 'content-encoding': 'gzip' }).end(text),
    () => head().end(Buffer.from(text, 'utf16le')),
    () => head().end(Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff, 0xfe]), Buffer.from(']')])),
    () => head().end(`[${' '.repeat(2 ** 21)}${text.slice(1)}`),
    () => json([{ ...first, [MARK]: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown }, ...others]),
    () => head().end(`${text}\n${text}`),
    () => head().end(items.map((item) => JSON.stringify(item)).join('\n,')),
    () => head().end(text.replace('true', 'NaN')),
    // Somewhere else, where the rows are right.
    () => response.writeHead(random.pick([300, 302, 303, 307, 308]), { location: '/docs?ids=1' }).end(text),
    () =>
      response.writeHead(random.pick([201, 202, 203, 206, 207, 226]), { 'content-type': 'application/json' }).end(text),
    () => json([null, ...others]),
    () => json([[first], ...others]),
    () => json(Object.fromEntries(items.map((item) => [String(item['id']), item]))),
    () => json([{ ...first, id: [first?.['id']] }, ...others]),
    () => json([{ ...first, [MARK]: null }, ...others]),
    () => json([{ ...first, [MARK]: [true] }, ...others]),
    () => json([{ ...first, [MARK]: {} }, ...others]),
    () => json([first, { ...first, [MARK]: false }, ...others]),
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
  faulty: number;
  allowed: number;
  unavailable: number;
  bodies: number;
}

const asJson = { 'content-type': 'application/json' };
let origin: Origin;

/** Time passes between questions. */
const realNow = Date.now;
let later = 0;

test.before(async () => {
  Date.now = () => realNow() + later;
  origin = await startOrigin();
});
test.after(async () => {
  Date.now = realNow;
  await origin.close();
});

async function compare(random: Random, at: string, questions: number, counts: Counts): Promise<void> {
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
  const isSlow = share > 0 && random.chance(0.2);
  const isDenied = random.chance(0.3);
  const caller = random.pick(['use', 'ignore'] as const);
  const cache = random.pick([undefined, { maxAge: '1h' }, { maxAge: '0s', maxStale: '1h' }]);
  const maxSkew = random.pick([undefined, undefined, '1h', '0s']);
  /** Facts that were fetched at different times count as not available. */
  const isStrict = maxSkew === '0s';
  let failures = 0;
  let before = 0;
  origin.answer = (ids, response, { url = '' }) => {
    const { rows } = url.startsWith('/people') ? people : docs;
    const items = ids.flatMap((id) => (rows.has(id) ? [{ ...rows.get(id), id }] : []));
    if (items.length > 0 && random.chance(share)) {
      failures += 1;
      answerWrongly(random, items, response, isSlow);
    } else answerJson(response, random.chance(0.5) ? items : [...items, { id: 'other', [MARK]: true }].reverse());
  };
  const provides = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => name !== 'id').map((name) => [name, name === MARK ? 'boolean' : 'any']));
  const source = (of: string, path: string, names: readonly string[]) => ({
    of,
    provides: provides(names),
    http: { url: `${origin.url}/${path}?ids={ids}`, maxKeys: random.pick([1, 2, 100]) },
    caller,
    ...(cache && { cache }),
    ...(isSlow && { deadline: '50ms' }),
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
        ...(maxSkew !== undefined && { maxSkew }),
        onFailure: isDenied ? 'deny' : 'unavailable',
        from: { docs: source(world.kind, 'docs', docs.names), people: source('principal', 'people', people.names) },
      },
    },
    {},
    names,
  );
  try {
    for (let round = 0; round < questions; round += 1) {
      if (maxSkew !== undefined) later += random.below(20_000);
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
      // What the caller says is a part of what is true, or is replaced.
      const said = (row: Row, names: readonly string[], make: () => Row): Row => {
        const some = names.slice(0, random.below(names.length + 1));
        const from = caller === 'use' ? row : { ...make(), ...(random.chance(0.5) && { [MARK]: 'x' }) };
        return Object.fromEntries(some.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]]] : [])));
      };
      const asked: Question = {
        ...question,
        principal: { ...principal, attr: said(people.rows.get(principal.id) as Row, people.names, world.person) },
        attr: said(docs.rows.get(id) as Row, docs.names, world.row),
      };
      const [rest] = PROTOCOLS;
      for (const protocol of PROTOCOLS) {
        const expected = await (protocol.sends ? protocol : rest)?.ask(whole, all);
        before += failures;
        failures = 0;
        const outcome = await protocol.ask(sourced, protocol.sends ? asked : question);
        const told = `${at}, ${protocol.name}: ${JSON.stringify({ all, asked, failures, before, isDenied, policies: world.policies })}`;
        counts.answers += 1;
        if (failures > 0) counts.faulty += 1;
        // A key whose request has failed is not asked for again at once.
        const mayFail = failures > 0 || isSlow || isStrict || (cache !== undefined && before > 0);
        if (mayFail && outcome !== expected && outcome === (isDenied ? 'deny' : 'unavailable')) {
          counts.unavailable += 1;
          continue;
        }
        if (mayFail && isDenied && outcome === 'unavailable') {
          // Some protocols have no word for an answer that is not whole.
          counts.unavailable += 1;
          continue;
        }
        assert.is(outcome, expected, told);
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
    before += failures;
    failures = 0;
    const made = await post(
      asked.sourced,
      body(() => ({}), {}),
    );
    const isWhole = failures === 0 && !isSlow && !isStrict && (cache === undefined || before === 0);
    if (!isWhole && (made.status === 503 || isDenied)) {
      if (made.status === 503) return;
      const effectsOf = ({ text: body }: typeof made) =>
        (JSON.parse(body) as { results: { actions: { [action: string]: string } }[] }).results.map(
          (one) => one.actions,
        );
      const expected = effectsOf(right);
      for (const [index, effects] of effectsOf(made).entries())
        for (const [action, effect] of Object.entries(effects))
          assert.ok(effect === 'EFFECT_DENY' || effect === expected[index]?.[action], `${where}, ${index} ${action}`);
      return;
    }
    const told = `${where}: ${JSON.stringify({ ids, actions, failures, policies: world.policies })}`;
    assert.is(made.status, right.status, `${made.text} ${told}`);
    const bodyOf = ({ text }: typeof made): unknown => ({ ...(JSON.parse(text) as object), authzCallId: '' });
    assert.equal(bodyOf(made), bodyOf(right), told);
    found.bodies += 1;
  }
}

test('all ways of asking answer as if everything had been sent', async () => {
  const counts: Counts = { answers: 0, faulty: 0, allowed: 0, unavailable: 0, bodies: 0 };
  const isEnough = (): boolean =>
    counts.allowed > 0 && counts.bodies > 0 && counts.unavailable > 0 && counts.faulty > counts.answers / 20;
  const { policies, questions } = sampleOf(60, 8, 3);
  for (const round of roundsUntil(policies, isEnough)) {
    const seed = SEED * 1_000_000 + round;
    await compare(new Random(seed), `seed ${seed}`, questions, counts);
  }
  if (process.env['COUNTS']) console.log(counts);
  assert.ok(isEnough(), JSON.stringify(counts));
});

test.run();
