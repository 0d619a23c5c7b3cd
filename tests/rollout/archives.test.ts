import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newKey } from '../support/archives/keys.js';
import { archive } from '../support/archives/signed.js';
import { send } from '../support/server/http-client.js';
import { discard, remove, replaceFile, type Server, startProgram } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { ADMIN_SETS, type Ask, ASKS, compileBundles, rollout } from './served.js';

/** Candidates that are signed archives. */
const test = suite('rollouts of archives');

const { folder, view, edit } = compileBundles();
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(folder));

const [trusted, stranger] = await Promise.all([newKey('ed25519'), newKey('ed25519')]);
const check = ASKS['REST check'] as Ask;

for (const workers of [1, 2]) {
  test(`${workers} processes: candidates are trusted as bundles are, and a promoted one is the newest from then on`, async () => {
    const keyFile = join(folder, `keys-${workers}.pem`);
    const cache = join(folder, `cache-${workers}`);
    const candidate = join(folder, `candidate-${workers}`);
    writeFileSync(keyFile, trusted.publicPem);
    writeFileSync(candidate, await archive(edit.text, { sequence: 6 }, stranger));
    const server = await startProgram(folder, await archive(view.text, { sequence: 5 }, trusted), [
      ...ADMIN_SETS,
      `server.workers=${workers}`,
      `bundle.trust.keys[0]=${keyFile}`,
      `bundle.cache=${cache}`,
      `bundle.rollout.candidate=${candidate}`,
      'bundle.minWait=10m',
    ]);
    servers.push(server);
    const accepted = (): unknown => JSON.parse(readFileSync(join(cache, 'accepted.json'), 'utf8')).sequence;
    const refusal = (reason: string, message: string) => () =>
      server.log().some((line) => line['reason'] === reason && line['message'] === message);

    await until(refusal('untrusted', 'the candidate cannot be tried'), 'a candidate that nobody trusts');
    const before = await rollout(server, 'rollout');
    assert.equal([before.state.candidate, before.state.current?.sequence], [undefined, '5']);
    assert.match(before.state.lastError as string, /^candidate: /);
    replaceFile(candidate, await archive(edit.text, { sequence: 4 }, trusted));
    await until(refusal('replayed', 'the candidate cannot be tried'), 'a candidate that is older');
    const { text } = await send(server.http, 'GET', '/_authz/metrics');
    assert.match(text, /^authz_bundle_rejected_total\{reason="replayed"\} 1$/m);

    replaceFile(candidate, await archive(edit.text, { sequence: 6 }, trusted));
    await until(async () => (await rollout(server, 'rollout')).state.candidate?.sequence === '6', 'a candidate');
    assert.is((await rollout(server, 'rollout')).state.lastError, undefined);
    assert.is(accepted(), 5);
    assert.is((await check(server, 'ann', { 'authz-min-bundle': 'sequence:5' })).hash, view.hash);
    const late = check(server, 'ann', { 'authz-min-bundle': 'sequence:6' });
    await sleep(300);
    assert.is((await rollout(server, 'promote', {})).state.current?.sequence, '6');
    assert.is((await late).hash, edit.hash);
    assert.is(accepted(), 6);
    const info = await send(server.http, 'POST', '/authz.svc.v1.AuthzService/ServerInfo', '{}', {
      'content-type': 'application/json',
    });
    assert.is(JSON.parse(info.text).bundleProvenance.sequence, '6');

    replaceFile(server.bundle, await archive(`//older\n${view.text}`, { sequence: 5 }, trusted));
    await until(
      refusal('replayed', 'the bundle cannot be served; still serving the last good one'),
      'a bundle older than the promoted one',
    );
    assert.match((await rollout(server, 'rollout')).state.lastError as string, /^current: /);
    assert.is((await check(server, 'ann')).hash, edit.hash);

    assert.is((await rollout(server, 'roll_back', {})).state.current?.sequence, '5');
    assert.is((await check(server, 'ann')).hash, view.hash);
    assert.is(accepted(), 6);
  });
}

test.run();
