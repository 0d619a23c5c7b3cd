import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ServiceError } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isInCanary } from '../../server/swap/canary.js';
import { randomNumbers } from '../support/protobuf.js';
import { send } from '../support/server/http-client.js';
import { discard, remove, replaceFile, type Server, startProgram, workersOf } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { ADMIN, ADMIN_SETS, type Ask, ASKS, compileBundles, rollout, type Told } from './served.js';
import { SEED } from '../support/effort.js';

const PRINCIPALS = 12;

const test = suite('canaries');
const bundles = compileBundles();
const { view, edit } = bundles;
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(bundles.folder));

interface Candidate {
  readonly server: Server;
  /** The file of the candidate. */
  readonly file: string;
}

let started = 0;
async function start(...sets: readonly string[]): Promise<Candidate> {
  const folder = join(bundles.folder, `candidate-${started++}`);
  mkdirSync(folder);
  const file = join(folder, 'candidate.js');
  writeFileSync(file, edit.text);
  writeFileSync(join(folder, 'routes.yaml'), GATEWAY);
  const server = await startProgram(
    bundles.folder,
    view.text,
    [...ADMIN_SETS, `bundle.rollout.candidate=${file}`, 'server.explain.enabled=true', ...sets],
    ['--config', join(folder, 'routes.yaml')],
  );
  servers.push(server);
  return { server, file };
}

const GATEWAY = `server:
  gateway:
    enabled: true
    peers: [127.0.0.0/8]
    principal: headers
    routes:
      - {methods: [GET], path: "/documents/{id}", kind: document, id: "{id}", action: view}
`;

/** Whether an answer is that of the bundle that its metadata name, which is one of the two. */
function problemOf({ view: mayView, edit: mayEdit, hash }: Told): string | undefined {
  if (hash !== view.hash && hash !== edit.hash) return `the hash ${hash} is of neither bundle`;
  const isView = hash === view.hash;
  if (mayView !== undefined && mayView !== isView) return `view is ${mayView} by ${hash}`;
  if (mayEdit !== undefined && mayEdit === isView) return `edit is ${mayEdit} by ${hash}`;
  return undefined;
}

for (const workers of [1, 2]) {
  const title = workers === 1 ? 'one process' : 'several workers';

  test(`${title}: on every protocol, the hash of the principal chooses the bundle`, async () => {
    const { server } = await start(
      `server.workers=${workers}`,
      'bundle.rollout.stage=canary',
      'bundle.rollout.percent=40',
    );
    const random = randomNumbers(SEED);
    const seen = new Set<boolean>();
    for (let index = 0; index < PRINCIPALS; index++) {
      const principal = `user-${random(1_000_000)}`;
      const isCandidate = isInCanary(edit.hash, 40, principal);
      seen.add(isCandidate);
      for (const [name, ask] of Object.entries(ASKS)) {
        const told = await ask(server, principal);
        const hash = isCandidate ? edit.hash : view.hash;
        if (name !== 'gateway') assert.is(told.hash, hash, `${name} of ${principal}`);
        assert.is(problemOf({ ...told, hash }), undefined, `${name} of ${principal}`);
      }
    }
    assert.is(seen.size, 2);
  });

  test(`${title}: while bundles are tried, promoted and rolled back, each answer is that of the bundle that it names`, async () => {
    const { server, file } = await start(`server.workers=${workers}`, 'bundle.rollout.id=fixed');
    const load = startLoad(server);
    const inCanary = principals.find((principal) => isInCanary('fixed', 50, principal)) as string;
    const outside = principals.find((principal) => !isInCanary('fixed', 50, principal)) as string;
    const check = ASKS['REST check'] as Ask;
    const everyWorker = async (principal: string): Promise<readonly (string | undefined)[]> => {
      const told = await Promise.all(Array.from({ length: 6 }, () => check(server, principal)));
      return [...new Set(told.map(({ hash }) => hash))];
    };
    for (let round = 0; round < 3; round++) {
      await until(async () => (await rollout(server, 'rollout')).state.candidate !== undefined, 'a candidate');
      assert.equal(await everyWorker(inCanary), [view.hash], 'a shadow decides nothing');
      const set = await rollout(server, 'rollout', { stage: 'STAGE_CANARY', percent: 50 });
      assert.equal([set.status, set.state.stage, set.state.percent], [200, 'STAGE_CANARY', 50], set.message);
      assert.equal(await everyWorker(inCanary), [edit.hash]);
      assert.equal(await everyWorker(outside), [view.hash]);
      if (round === 1) {
        const dropped = await rollout(server, 'roll_back', { hash: edit.hash });
        assert.equal([dropped.status, dropped.state.refusedHash], [200, edit.hash], dropped.message);
        assert.equal(await everyWorker(inCanary), [view.hash]);
      } else {
        const promoted = await rollout(server, 'promote', { hash: edit.hash });
        assert.equal([promoted.status, promoted.state.current?.hash], [200, edit.hash], promoted.message);
        assert.equal(promoted.state.previous?.hash, view.hash);
        assert.equal(await everyWorker(outside), [edit.hash]);
        const back = await rollout(server, 'roll_back', {});
        assert.equal([back.status, back.state.current?.hash, back.state.refusedHash], [200, view.hash, edit.hash]);
        assert.equal(await everyWorker(inCanary), [view.hash]);
      }
      // The same policies in another file.
      replaceFile(file, `//${round}\n${edit.text}`);
    }
    await load.stop();
    assert.equal(load.problems.slice(0, 3), []);
    assert.ok((load.byHash.get(view.hash) as number) > 20 && (load.byHash.get(edit.hash) as number) > 20);
  });
}

test('what was rolled back is refused until another version arrives; a bundle is promoted by its source, too', async () => {
  const { server, file } = await start('server.workers=1');
  await rollout(server, 'roll_back', {});
  replaceFile(server.bundle, edit.text);
  await until(async () => (await rollout(server, 'rollout')).state.lastError !== undefined, 'a refusal');
  const refused = await rollout(server, 'rollout');
  assert.match(refused.state.lastError as string, /was rolled back: it is refused until another one arrives/);
  assert.is(refused.state.current?.hash, view.hash);
  const { text } = await send(server.http, 'GET', '/_authz/metrics');
  assert.match(text, /^authz_bundle_rejected_total\{reason="rolled_back"\} 1$/m);

  replaceFile(file, `//again\n${edit.text}`);
  await until(async () => (await rollout(server, 'rollout')).state.candidate !== undefined, 'another version');
  replaceFile(server.bundle, `//again\n${edit.text}`);
  await until(
    async () => (await rollout(server, 'rollout')).state.current?.hash === edit.hash,
    'the new current bundle',
  );
  const { state } = await rollout(server, 'rollout');
  assert.equal([state.candidate, state.previous?.hash, state.lastError], [undefined, view.hash, undefined]);
});

test('a worker that starts has the same rollout', async () => {
  const { server } = await start('server.workers=2', 'bundle.rollout.id=fixed');
  await rollout(server, 'rollout', { stage: 'STAGE_CANARY', percent: 100 });
  const [first] = workersOf(server);
  process.kill(first as number, 'SIGKILL');
  await until(() => workersOf(server).length === 2 && !workersOf(server).includes(first as number), 'a new worker');
  await sleep(500);
  for (let index = 0; index < 8; index++)
    assert.is((await (ASKS['REST check'] as Ask)(server, 'anybody')).hash, edit.hash);
});

test('requests about the rollout that cannot be granted say why', async () => {
  const { server } = await start('server.workers=1');
  const wrong = async (path: 'rollout' | 'promote' | 'roll_back', body: object) => {
    const { status, message } = await rollout(server, path, body);
    return `${status} ${message}`;
  };
  assert.match(await wrong('rollout', {}), /^400 .*stage/);
  assert.match(await wrong('rollout', { stage: 'STAGE_CANARY', percent: 101 }), /^400 .*percent/);
  assert.match(await wrong('rollout', { stage: 'STAGE_SHADOW', percent: 5 }), /^400 `percent` is for `STAGE_CANARY`/);
  assert.match(await wrong('promote', { hash: 'abc' }), /^400 the candidate is `[0-9a-f]{16}`, not `abc`/);
  await rollout(server, 'roll_back', {});
  assert.match(await wrong('promote', {}), /^400 there is no candidate/);
  assert.match(await wrong('roll_back', {}), /^400 there is nothing to roll back/);
  const { status } = await send(server.http, 'POST', '/admin/bundle/promote', '{}', {
    authorization: 'Basic eDp5',
    'content-type': 'application/json',
  });
  assert.is(status, 401);
  const { text } = await send(server.http, 'POST', '/authz.svc.v1.AuthzAdminService/GetRollout', '{}', {
    authorization: ADMIN,
    'content-type': 'application/json',
  });
  assert.is((JSON.parse(text) as { rollout: { current: { hash: string } } }).rollout.current.hash, view.hash);
});

test('a call may demand a bundle: it waits until the server has it', async () => {
  const { server } = await start('server.workers=2', 'bundle.minWait=10m');
  const check = ASKS['REST check'] as Ask;
  assert.is((await check(server, 'ann', demanding(view.hash))).hash, view.hash);
  const late = Object.entries(ASKS)
    .filter(([name]) => name !== 'gateway')
    .map(async ([name, ask]) => assert.is((await ask(server, 'ann', demanding(edit.hash))).hash, edit.hash, name));
  await sleep(300);
  await rollout(server, 'promote', {});
  await Promise.all(late);
  assert.is((await check(server, 'ann', demanding(view.hash))).hash, edit.hash, 'the current bundle came later');
});

test('a call fails if the bundle that it demands does not come in time, or if the demand is malformed', async () => {
  const { server } = await start('server.workers=1', 'bundle.minWait=500ms');
  const failures: readonly (readonly [way: string, bundle: string, failure: RegExp])[] = [
    ['REST check', 'abc', /^412 .*demanded bundle yet: `abc` is demanded, `[0-9a-f]{16}` decides/],
    ['AuthZEN batch', 'abc', /^412 /],
    ['gRPC check', 'abc', /^9 FAILED_PRECONDITION: /],
    ['Connect check', 'abc', /^400 .*failed_precondition/],
    ['REST check', 'sequence:3', /^412 .*a bundle without a sequence/],
    ...['', 'sequence:', 'sequence:x', 'a b', 'abc, def', '%', 'a'.repeat(200)].map(
      (malformed) => ['REST check', malformed, /^400 .*must be the hash of a bundle/] as const,
    ),
  ];
  const asked = performance.now();
  await Promise.all(
    failures.map(async ([way, bundle, expected]) => {
      const outcome = await (ASKS[way] as Ask)(server, 'ann', demanding(bundle)).then(
        ({ hash }) => `decided by ${hash}`,
        ({ message }: ServiceError) => message,
      );
      assert.match(outcome, expected, `${way}, ${bundle}`);
    }),
  );
  assert.ok(performance.now() - asked >= 490);
});

test.run();

function demanding(bundle: string): { readonly [name: string]: string } {
  return { 'authz-min-bundle': bundle };
}

const principals = Array.from({ length: 20 }, (_, index) => `principal-${index}`);

interface Load {
  readonly problems: string[];
  /** The number of answers by the hash of the bundle that decided. */
  readonly byHash: Map<string, number>;
  readonly stop: () => Promise<void>;
}

/** Asks in every way, one principal after the other. */
function startLoad(server: Server): Load {
  let isStopping = false;
  const problems: string[] = [];
  const byHash = new Map<string, number>();
  const loop = async ([name, ask]: readonly [string, Ask]): Promise<void> => {
    for (let index = 0; !isStopping; index++) {
      const told = await ask(server, principals[index % principals.length] as string).catch((error: Error) => {
        problems.push(`${name}: ${error.message}`);
        return undefined;
      });
      // The answers of a gateway have no such header.
      if (told === undefined || name === 'gateway') continue;
      const problem = problemOf(told);
      if (problem !== undefined) problems.push(`${name}: ${problem}`);
      byHash.set(told.hash ?? '', (byHash.get(told.hash ?? '') ?? 0) + 1);
    }
  };
  const loops = Object.entries(ASKS).map(loop);
  return {
    problems,
    byHash,
    stop: async () => {
      isStopping = true;
      await Promise.all(loops);
    },
  };
}
