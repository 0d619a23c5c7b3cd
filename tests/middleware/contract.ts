import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AuthzClient,
  AuthzError,
  connectClient,
  inProcessClient,
  type PrincipalOf,
  type ResourceOf,
  restClient,
} from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import type { Policies } from '../../generated/types.js';
import type { GuardSettings } from '../../packages/middleware/guard.js';
import { createFactsEngine, type FactsEngine, FactsUnavailableError } from '../../runtime/facts/index.js';
import { type ListeningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { loadRepositoryBundle } from '../support/repository-bundle.js';
import { loopbackConfig } from '../support/server/start.js';

export type { Policies } from '../../generated/types.js';

type Album = ResourceOf<Policies, 'album'>;

/** What an application with guards is made of, apart from its framework. */
export interface Parts {
  /** A client, or a facts engine. */
  readonly decider: Pick<GuardSettings<Policies, unknown>, 'client' | 'facts'>;
  /** The caller by the name in the header `x-user`. */
  readonly principalOf: (name: string | null | undefined) => PrincipalOf<Policies> | undefined;
  /** The album of an id, as a store would find it. Throws for `broken`. */
  readonly albumOf: (id: string) => Promise<Album | undefined>;
  readonly onNoAnswer: NonNullable<GuardSettings<Policies, unknown>['onNoAnswer']>;
  /** Each handler calls this first. */
  readonly handled: () => void;
}

/**
 * An application with two routes:
 *
 * - `GET /albums/ID` needs `view`, asks also about `edit` and `delete`, and returns `reportOf` the decision;
 * - `DELETE /albums/ID` needs `delete`, and hides albums that the caller may not `view`.
 */
export interface Application {
  ask(method: 'GET' | 'DELETE', path: string, headers: { readonly [name: string]: string }): Promise<Response>;
  close(): Promise<unknown>;
}

/** What handlers return. */
export function reportOf(decision: {
  readonly allowed: { readonly view: boolean; readonly edit: boolean; readonly delete: boolean };
  readonly principal: { readonly id: string };
  readonly resource: { readonly id: string };
}): object {
  const { allowed, principal, resource } = decision;
  return { allowed, principal: principal.id, resource: resource.id };
}

/** Runs the same requests through an application of a framework, with clients in this process and over the network. */
export function testContract(
  framework: string,
  open: (parts: Parts) => Promise<Application>,
  { unavailable = 503 } = {},
): void {
  const test = suite(`guards for ${framework}`);
  let server: ListeningServer;
  const clients = new Map<string, AuthzClient<Policies>>();
  let facts: FactsEngine<Policies>;
  test.before(async () => {
    server = await startServer(loopbackConfig(), await loadRepositoryBundle());
    const url = `http://${server.httpAddress}`;
    facts = await openFacts(async () => new Map(ALBUMS.map(({ id, attr }) => [id, attr ?? {}])));
    clients.set('in process', inProcessClient<Policies>(policies));
    clients.set('over REST', restClient<Policies>({ url }));
    clients.set('over Connect', connectClient<Policies>({ url }));
  });
  test.after(async () => {
    for (const client of clients.values()) await client.close();
    await server.close();
  });

  const deciderOf = (name: string) => (name === 'by ids' ? facts : clients.get(name));
  for (const name of ['in process', 'over REST', 'over Connect', 'by ids']) {
    test(`requests pass if the policies allow their action, ${name}`, async () => {
      await withApplication(open, deciderOf(name), async ({ ask, seen }) => {
        const viewed = await ask('GET', '/albums/public', { 'x-user': 'bob' });
        assert.is(viewed.status, 200);
        assert.equal(await viewed.json(), {
          allowed: { view: true, edit: false, delete: false },
          principal: 'bob',
          resource: 'public',
        });
        const owned = await ask('GET', '/albums/public', { 'x-user': 'anna' });
        assert.equal(((await owned.json()) as { readonly allowed: unknown }).allowed, {
          view: true,
          edit: true,
          delete: true,
        });
        assert.is((await ask('DELETE', '/albums/public', { 'x-user': 'anna' })).status, 200);
        assert.is(seen.handled, 3);
      });
    });

    test(`requests are refused if the policies deny their action, ${name}`, async () => {
      await withApplication(open, deciderOf(name), async ({ ask, seen }) => {
        const response = await ask('GET', '/albums/private', { 'x-user': 'bob' });
        assert.is(response.status, 403);
        assert.is(seen.handled, 0);
      });
    });
  }

  test('without a principal, a request gets 401 with a scheme, and no resource is looked up', async () => {
    await withApplication(open, clients.get('in process'), async ({ ask, seen }) => {
      for (const headers of [{}, { 'x-user': '' }, { 'x-user': 'nobody' }]) {
        const response = await ask('GET', '/albums/public', headers);
        assert.is(response.status, 401);
        if (framework !== 'tRPC') assert.is(response.headers.get('www-authenticate'), 'Bearer');
      }
      assert.equal(seen, { handled: 0, lookedUp: 0, errors: [] });
    });
  });

  test('a hidden resource cannot be told from one that does not exist', async () => {
    await withApplication(open, clients.get('in process'), async ({ ask, seen }) => {
      const [hidden, missing] = [
        await ask('DELETE', '/albums/private', { 'x-user': 'bob' }),
        await ask('DELETE', '/albums/missing', { 'x-user': 'bob' }),
      ];
      assert.is(hidden.status, 404);
      assert.is(missing.status, 404);
      assert.is(await hidden.text(), await missing.text());
      assert.equal(namesOf(hidden), namesOf(missing));
      // One that the caller may view, but not delete, is not hidden.
      assert.is((await ask('DELETE', '/albums/public', { 'x-user': 'bob' })).status, 403);
      assert.is(seen.handled, 0);
    });
  });

  test('without an answer, a request gets 503, and the application gets the error', async () => {
    const unreachable = restClient<Policies>({ url: 'http://127.0.0.1:9' });
    const closed = inProcessClient<Policies>(policies);
    await closed.close();
    const silent = new Map<AuthzClient<Policies>, string>([
      [unreachable, 'unavailable'],
      [closed, 'canceled'],
    ]);
    for (const [client, code] of silent) {
      await withApplication(open, client, async ({ ask, seen }) => {
        // Callers that may do it, and callers that may not, learn the same.
        for (const user of ['anna', 'bob']) {
          const response = await ask('GET', '/albums/private', { 'x-user': user });
          assert.is(response.status, unavailable);
          assert.not.match(await response.text(), /127\.0\.0\.1|client is closed|ECONNREFUSED/);
        }
        assert.is(seen.handled, 0);
        assert.equal(
          seen.errors.map((error) => error instanceof AuthzError && error.code),
          [code, code],
        );
      });
    }
    await unreachable.close();
  });

  test('where facts are not available, a request gets 503, and the application gets the error', async () => {
    const away = await openFacts(() => Promise.reject(new Error('secret')));
    await withApplication(open, away, async ({ ask, seen }) => {
      const response = await ask('GET', '/albums/public', { 'x-user': 'bob' });
      assert.is(response.status, unavailable);
      assert.not.match(await response.text(), /secret|visibility/);
      assert.is(seen.handled, 0);
      assert.ok(seen.errors.length === 1 && seen.errors[0] instanceof FactsUnavailableError);
    });
  });

  test('an error of the application goes to the framework', async () => {
    await withApplication(open, clients.get('in process'), async ({ ask, seen }) => {
      const response = await ask('GET', '/albums/broken', { 'x-user': 'anna' });
      assert.is(response.status, 500);
      assert.equal(seen, { handled: 0, lookedUp: 1, errors: [] });
    });
  });

  test.run();
}

interface Seen {
  handled: number;
  lookedUp: number;
  readonly errors: unknown[];
}

async function withApplication(
  open: (parts: Parts) => Promise<Application>,
  client: AuthzClient<Policies> | FactsEngine<Policies> | undefined,
  use: (application: Application & { readonly seen: Seen }) => Promise<void>,
): Promise<void> {
  if (client === undefined) throw new Error('there is no such client');
  const seen: Seen = { handled: 0, lookedUp: 0, errors: [] };
  const decider = 'decideNow' in client ? { facts: client } : { client };
  const application = await open({
    decider,
    principalOf: (name) => PRINCIPALS.get(name ?? ''),
    albumOf: async (id) => {
      seen.lookedUp++;
      if (id === 'broken') throw new Error('the store is broken');
      const album = ALBUMS.find((own) => own.id === id);
      // A facts engine needs no attributes.
      return 'facts' in decider && album !== undefined ? { kind: 'album', id } : album;
    },
    onNoAnswer: (error) => {
      seen.errors.push(error);
    },
    handled: () => {
      seen.handled++;
    },
  });
  try {
    await use({ ask: application.ask, close: application.close, seen });
  } finally {
    await application.close();
  }
}

/** A facts engine with one source of albums, over the policies of this repository. */
async function openFacts(load: () => Promise<ReadonlyMap<string, object>>): Promise<FactsEngine<Policies>> {
  const texts = ['album.yaml', 'album_roles.yaml'].map((name) => [
    name,
    readFileSync(join(ROOT, 'policies', name), 'utf8'),
  ]);
  const compiled = await loaded(compileTexts(Object.fromEntries(texts), { facts: true }));
  const types = { owner: 'string', visibility: 'string', friends: 'list', status: 'string' } as const;
  return createFactsEngine<Policies>(compiled.policies, {
    sources: [{ of: 'album', provides: Object.keys(types), types, load }],
  });
}

const PRINCIPALS: ReadonlyMap<string, PrincipalOf<Policies>> = new Map(
  ['anna', 'bob'].map((id) => [id, { id, roles: ['user'] }]),
);

const ALBUMS: readonly Album[] = ['public', 'private'].map((visibility) => ({
  kind: 'album',
  id: visibility,
  attr: { owner: 'anna', visibility, friends: [], status: 'OPEN' },
}));

/** The names of headers, apart from those of connections. */
function namesOf({ headers }: Response): readonly string[] {
  return [...headers.keys()].filter((name) => !['date', 'connection', 'keep-alive'].includes(name)).sort();
}
