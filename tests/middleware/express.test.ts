import { once } from 'node:events';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inProcessClient } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { expressGuard } from '../../packages/middleware/express.js';
import { type Application, type Policies, reportOf, testContract } from './contract.js';
import { listening } from './listening.js';

testContract('Express', async ({ decider, principalOf, albumOf, onNoAnswer, handled }) => {
  const guard = expressGuard<Policies>({
    ...decider,
    principal: (request) => principalOf(request.get('x-user')),
    onNoAnswer,
  });
  const app = quiet();
  app.get(
    '/albums/:id',
    guard({ action: 'view', also: ['edit', 'delete'], resource: ({ params }) => albumOf(String(params['id'])) }),
    (_, response) => {
      handled();
      response.json(reportOf(response.locals.authz));
    },
  );
  app.delete(
    '/albums/:id',
    guard({ action: 'delete', hiddenWithout: 'view', resource: ({ params }) => albumOf(String(params['id'])) }),
    (_, response) => {
      handled();
      response.json(response.locals.authz.allowed.delete);
    },
  );
  app.use(SILENT);
  return open(app);
});

const test = suite('guards for Express: what only they have');

const album = { kind: 'album', id: '1', attr: { owner: 'anna', visibility: 'public', status: 'OPEN' } } as const;

test('templates find the decision', async () => {
  const guard = expressGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal: () => ({ id: 'bob', roles: ['user'] }),
  });
  const app = quiet();
  // A template engine gets `response.locals` with its data.
  app.engine('words', (path, options, done) => {
    const { authz } = options as unknown as { readonly authz: { readonly allowed: object } };
    done(null, `${path.endsWith('page.words')} ${JSON.stringify(authz.allowed)}`);
  });
  app.set('view engine', 'words').set('views', import.meta.dirname);
  app.set('view', FoundView);
  app.get('/', guard({ action: 'view', also: ['edit'], resource: album }), (_, response) => response.render('page'));
  await withApplication(app, async ({ ask }) => {
    assert.is(await (await ask('GET', '/', {})).text(), 'true {"view":true,"edit":false}');
  });
});

test('an application writes refusals itself, and an error in doing so goes to Express', async () => {
  const guard = expressGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal: (request) => (request.get('x-user') === undefined ? undefined : { id: 'bob', roles: ['user'] }),
    refuse: ({ status, reason }, _, response) => {
      if (reason === 'denied') throw new Error('cannot write');
      response.status(status).send(`<h1>${reason}</h1>`);
    },
  });
  const app = quiet();
  app.get('/', guard({ action: 'edit', resource: album }), (_, response) => response.json('handled'));
  app.use(SILENT);
  await withApplication(app, async ({ ask }) => {
    const response = await ask('GET', '/', {});
    assert.is(response.status, 401);
    assert.is(await response.text(), '<h1>unauthenticated</h1>');
    assert.is((await ask('GET', '/', { 'x-user': 'bob' })).status, 500);
  });
});

test('questions are typed by the policies', async () => {
  const guard = expressGuard<Policies>({
    client: inProcessClient<Policies>(policies),
    principal: () => ({ id: 'bob', roles: ['user'] }),
  });
  // @ts-expect-error: no such action
  const misspelt = guard({ action: 'veiw', resource: album });
  // @ts-expect-error: no such kind
  guard({ action: 'view', resource: { kind: 'albun', id: '1' } });
  const app = quiet();
  app.get('/', misspelt, (_, response) => response.json('handled'));
  app.get('/edit', guard({ action: 'view', resource: album }), (_, response) => {
    // @ts-expect-error: the guard has not asked about it
    response.json({ edit: response.locals.authz.allowed.edit });
  });
  await withApplication(app, async ({ ask }) => {
    assert.is((await ask('GET', '/', {})).status, 403);
    assert.is(await (await ask('GET', '/edit', {})).text(), '{}');
  });
});

test('tokens are sent to the decision point', async () => {
  const guard = expressGuard<Policies>({
    client: inProcessClient<Policies>(policies, {
      verify: async ({ jwt }) => {
        if (jwt?.token !== 'good') throw new Error('bad token');
        return {};
      },
    }),
    principal: () => ({ id: 'bob', roles: ['user'] }),
    auxData: (request) => ({ jwt: { token: request.get('x-token') ?? '' } }),
  });
  const app = quiet();
  app.get('/', guard({ action: 'view', resource: album }), (_, response) => response.json('handled'));
  await withApplication(app, async ({ ask }) => {
    assert.is((await ask('GET', '/', { 'x-token': 'good' })).status, 200);
    assert.is((await ask('GET', '/', { 'x-token': 'bad' })).status, 503);
  });
});

test.run();

/** Express logs errors unless it runs in tests. */
function quiet(): Express {
  return express().set('env', 'test');
}

const SILENT: ErrorRequestHandler = (_, __, response, ___) => {
  response.status(500).end();
};

/** The view of any name. */
class FoundView {
  readonly path = 'page.words';
  readonly #engine: (path: string, options: object, done: (error: unknown, text?: string) => void) => void;

  constructor(_: string, { engines }: { readonly engines: { readonly [extension: string]: never } }) {
    this.#engine = engines['.words'] as never;
  }

  render(options: object, done: (error: unknown, text?: string) => void): void {
    this.#engine(this.path, options, done);
  }
}

async function open(app: Express): Promise<Application> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return listening(server);
}

async function withApplication(app: Express, use: (application: Application) => Promise<void>): Promise<void> {
  const application = await open(app);
  try {
    await use(application);
  } finally {
    await application.close();
  }
}
