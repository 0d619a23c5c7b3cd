import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decider, DecidingBundle } from './decider.js';
import { receivedCall } from '../../tests/support/server/received-call.js';
import { actionSearch, type SearchService } from './authzen-search.js';
import { CallIds } from './call-id.js';
import type { FoundIds, Population, PopulationQuery } from './population.js';
import { resourceSearch } from './resource-search.js';
import { RpcError } from './rpc-error.js';
import { subjectSearch } from './subject-search.js';
import type { Checked, Planned, Watcher } from './watcher.js';

/** A population with these ids, of which a filter says nothing; it counts its queries. */
function populationOf(ids: readonly string[], asked: PopulationQuery[] = []): Population {
  return {
    attributes: new Set(['level']),
    canHave: (id) => id !== 'unfit',
    has: async (id) => ids.includes(id),
    find: async (query): Promise<FoundIds> => {
      asked.push(query);
      const { after, most } = query;
      const next = ids.filter((id) => after === undefined || id > after);
      return { kind: 'found', ids: next.slice(0, most) };
    },
  };
}

/** Allows principals whose id begins with one of these letters. */
function deciderFor(letters: string): Decider {
  return {
    asOne: (work) => work(),
    check: ({ principal, resources }) =>
      resources.map(({ actions }) => ({
        actions: actions.map((action) => ({
          action,
          effect: letters.includes(principal.id.charAt(0)) ? 1 : 2,
          matchedPolicy: letters,
          matchedScope: '',
        })),
        effectiveDerivedRoles: [],
        outputs: [],
        validationErrors: [],
      })),
    plan: () => ({
      filter: { kind: 'KIND_ALWAYS_ALLOWED' },
      filterDebug: '',
      matchedScopes: undefined,
      validationErrors: [],
      unplanned: [],
    }),
  };
}

const bundleOf = (letters: string): DecidingBundle => ({
  release: { version: '', commit: '', buildDate: '', bundleHash: letters, bundleProvenance: undefined },
  decider: deciderFor(letters),
  actionNames: () => ['read', 'write'],
});

function serviceOf(ids: readonly string[], more: Partial<SearchService> = {}): SearchService {
  const people = populationOf(ids);
  return {
    decider: deciderFor('a'),
    callIds: new CallIds(),
    limits: { maxActionsPerResource: 50, maxResourcesPerRequest: 50 },
    watchers: [],
    verify: async () => ({ jwt: {}, jwts: {} }),
    actionNames: () => ['read'],
    populations: {
      subjects: new Map([['user', people]]),
      resources: new Map([['doc', populationOf(['d1', 'd2'])]]),
      maxPageSize: 100,
      maxRows: 1000,
      timeout: 60_000,
    },
    ...more,
  };
}

const READ = { name: 'read', properties: {} };
const doc = (id: string) => ({ type: 'doc', id, properties: {} });
const readers = {
  subject: { type: 'user', properties: {} },
  resource: doc('d1'),
  action: READ,
  context: {},
  page: undefined,
};
const docsOfAnn = {
  subject: { type: 'user', id: 'ann', properties: {} },
  resource: { type: 'doc', properties: {} },
  action: READ,
  context: {},
  page: undefined,
};
const IDS = ['a1', 'a2', 'b1', 'b2', 'c1'];

async function foundBy(service: SearchService, page?: { readonly token: string; readonly limit: number }) {
  const { results, page: next } = await subjectSearch(service, receivedCall(), { ...readers, page });
  return { ids: results.map(({ id }) => id), next: next?.nextToken };
}

test('each subject is decided by its own bundle, in a canary', async () => {
  const [stable, candidate] = [bundleOf('a'), bundleOf('b')];
  const isInCanary = ({ id }: { readonly id: string }): boolean => id.endsWith('1');
  const choose = (principals: readonly { readonly id: string }[]): DecidingBundle =>
    principals.every(isInCanary) ? candidate : stable;
  const service = serviceOf(IDS, {
    bundles: { choose, isSplit: () => true },
    // As calls choose: the candidate only for principals that are all in the canary.
    steps: [
      (call, principals) => {
        call.bundle = choose(principals);
        return undefined;
      },
    ],
  });
  assert.equal(await foundBy(service), { ids: ['a2', 'b1'], next: undefined });
});

test('watchers are told of each result, and of the plan of a search of resources', async () => {
  const checked: Checked[] = [];
  const planned: Planned[] = [];
  const watcher: Watcher = {
    checked: (_call, check) => checked.push(check),
    planned: (_call, plan) => planned.push(plan),
  };
  const service = serviceOf([...IDS, 'ann'].sort(), { watchers: [watcher] });
  assert.equal((await foundBy(service)).ids, ['a1', 'a2', 'ann']);
  assert.equal(
    checked.map(({ principal, resources }) => [principal.id, principal.roles, resources[0]?.resource.id]),
    ['a1', 'a2', 'ann'].map((id) => [id, ['user'], 'd1']),
  );
  await resourceSearch(service, receivedCall(), { ...docsOfAnn, context: { ip: '::1', 'authz.requestId': 'q' } });
  assert.equal(
    planned.map(({ request: { requestId, principal, resource, action } }) => [
      requestId,
      principal?.id,
      resource?.kind,
      resource?.attr,
      action,
    ]),
    [['q', 'ann', 'doc', { 'authz.context': { ip: '::1' } }, 'read']],
  );
});

test('pages of subjects go on after the rows that were decided', async () => {
  const many = Array.from(
    { length: 250 },
    (_, index) => `${index === 249 ? 'x' : 'b'}${String(index).padStart(3, '0')}`,
  );
  const service = serviceOf(many, { decider: deciderFor('x') });
  const populations = service.populations as NonNullable<SearchService['populations']>;
  const short = { ...service, populations: { ...populations, maxRows: 120 } };
  const first = await foundBy(short);
  assert.equal(first.ids, []);
  const second = await foundBy(short, { token: first.next ?? '', limit: 0 });
  assert.equal(second.ids, []);
  assert.equal(await foundBy(short, { token: second.next ?? '', limit: 0 }), { ids: ['x249'], next: '' });
  // Without time, a page has a row at least.
  const late = { ...service, populations: { ...populations, timeout: 0 } };
  assert.ok((await foundBy(late)).next);
});

test('a subject or resource that a population does not have has no results', async () => {
  const service = serviceOf([...IDS, 'ann']);
  assert.equal((await subjectSearch(service, receivedCall(), { ...readers, resource: doc('d3') })).results, []);
  const nobody = { type: 'user', id: 'abe', properties: {} };
  assert.equal((await resourceSearch(service, receivedCall(), { ...docsOfAnn, subject: nobody })).results, []);
  const actions = async (subject: typeof nobody, id: string) =>
    (await actionSearch(service, receivedCall(), { subject, resource: doc(id), context: {}, page: undefined })).results;
  assert.equal(await actions(nobody, 'd1'), []);
  assert.equal(await actions({ ...nobody, id: 'ann' }, 'd3'), []);
  assert.equal(
    (await actions({ ...nobody, id: 'ann' }, 'd1')).map(({ name }) => name),
    ['read'],
  );
  // Other types are taken to be there.
  assert.equal(
    (await actions({ ...nobody, type: 'robot' }, 'd1')).map(({ name }) => name),
    ['read'],
  );
});

test('a plan that leaves out a rule fails the search', async () => {
  const decider: Decider = {
    ...deciderFor('a'),
    plan: (asked) => ({
      ...deciderFor('a').plan(asked),
      unplanned: [{ policy: 'resource.doc.vdefault', rule: 'r', reason: 'reads the clock' }],
    }),
  };
  try {
    await resourceSearch(serviceOf(['ann'], { decider }), receivedCall(), docsOfAnn);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, RpcError);
    assert.is(
      (error as RpcError).message,
      'the search cannot be exact: reads the clock (rule `r` of resource.doc.vdefault)',
    );
  }
});

test('the id of a token must be one that rows may have', async () => {
  const { page } = await subjectSearch(
    serviceOf(['a1', 'unfit', 'z'], { decider: deciderFor('auz') }),
    receivedCall(),
    {
      ...readers,
      page: { token: '', limit: 2 },
    },
  );
  try {
    await foundBy(serviceOf(IDS), { token: page?.nextToken ?? '', limit: 0 });
    assert.unreachable();
  } catch (error) {
    assert.is((error as RpcError).message, '`page.token` does not belong to this request');
  }
});

test('an id that is too long for a token fails the page that it ends, and no other', async () => {
  const service = serviceOf(['a1', `a${'2'.repeat(20_000)}`, 'a3']);
  const page = { token: '', limit: 2 };
  try {
    await foundBy(service, page);
    assert.unreachable();
  } catch (error) {
    assert.is((error as RpcError).message, 'the last id of the page is too long for a token');
  }
  assert.is((await foundBy(service)).ids.length, 3);
});

test.run();
