import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArchive } from '../../packages/bundle/index.js';
import { loadBundle } from '../../packages/bundle/load-bundle.js';
import { publicUrl } from '../../packages/cli/bundles/source-revision.js';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import type { Ended } from '../support/cli/programs.js';
import { newRepository } from '../support/git-repository.js';

const test = suite('authzc bundle');

const repository = newRepository();
const { folder } = repository;
test.after(() => repository.remove());

/** Without the variables of a CI job that runs this test. */
const NO_JOB = { GITHUB_RUN_ID: undefined, CI_JOB_URL: undefined, BUILD_URL: undefined } as NodeJS.ProcessEnv;

function authzc(...words: readonly string[]): Promise<Ended> {
  return callAuthzc(words, folder, NO_JOB);
}

test('an archive is deterministic, names its commit, and is signed, verified and loaded', async () => {
  repository.commit({ 'policies/document.yaml': documentPolicy('view') });
  repository.git('remote', 'add', 'origin', 'https://user:secret@git.example.org/p.git?token=x');
  const built = await authzc(
    'bundle',
    '--out',
    'a.authzbundle',
    '--sequence',
    '7',
    '--not-after',
    '2131-01-01T00:00:00Z',
  );
  assert.is(built.code, 0, built.stderr);
  assert.match(built.stdout, /^a\.authzbundle {2}sha256:[0-9a-f]{64}\n$/);
  await authzc('bundle', '--out', 'b.authzbundle', '--sequence', '7', '--not-after', '2131-01-01T01:00:00+01:00');
  const bytes = readFileSync(join(folder, 'a.authzbundle'));
  assert.equal(bytes, readFileSync(join(folder, 'b.authzbundle')));
  const { manifest } = readArchive(bytes);
  assert.equal(manifest.source, {
    repository: 'https://git.example.org/p.git',
    revision: repository.git('rev-parse', 'HEAD'),
    path: 'policies',
    dirty: false,
  });
  assert.is(manifest.notAfter, '2131-01-01T00:00:00Z');

  const keys = await authzc('bundle', 'keygen', 'k');
  assert.is(keys.code, 0, keys.stderr);
  assert.is(statSync(join(folder, 'k.key.pem')).mode & 0o777, 0o600);
  assert.match((await authzc('bundle', 'keygen', 'k')).stderr, '`k.key.pem` exists');
  assert.match(
    (await authzc('bundle', 'verify', 'a.authzbundle', '--key', 'k.pub.pem')).stderr,
    /is not signed.*\(unsigned\)/,
  );
  const signed = await authzc('bundle', 'sign', 'a.authzbundle', '--key', 'k.key.pem');
  assert.match(signed.stdout, /signed by [\w-]{43} \(EdDSA\)/);
  const verified = await authzc('bundle', 'verify', 'a.authzbundle', '--key', 'k.pub.pem');
  assert.is(verified.code, 0, verified.stderr);
  const shown = await authzc('bundle', 'inspect', 'a.authzbundle');
  assert.match(shown.stdout, 'sequence    7\n');
  const { signatures } = JSON.parse((await authzc('bundle', 'inspect', 'a.authzbundle', '-o', 'json')).stdout);
  assert.is(signatures.length, 1);

  const loaded = await loadBundle(readFileSync(join(folder, 'a.authzbundle')), {
    trust: { keys: readFileSync(join(folder, 'k.pub.pem'), 'utf8') },
  });
  assert.is(loaded.policies.hash, manifest.hash);
});

test('nothing is written if policies do not compile', async () => {
  writeFileSync(join(folder, 'policies/broken.yaml'), BROKEN_POLICY);
  const { code } = await authzc('bundle', '--out', 'broken.authzbundle');
  rmSync(join(folder, 'policies/broken.yaml'));
  assert.is(code, 3);
  assert.not(existsSync(join(folder, 'broken.authzbundle')));
});

test('wrong flags are refused', async () => {
  for (const words of [
    ['--sequence', '-1'],
    ['--sequence', '1e3'],
    ['--not-after', 'tomorrow'],
  ])
    assert.is((await authzc('bundle', ...words)).code, 2, words.join(' '));
});

test('the URL of a repository has no credentials', () => {
  assert.is(publicUrl('https://token@host.example/a.git'), 'https://host.example/a.git');
  assert.is(publicUrl('ssh://git:secret@host.example/a.git'), 'ssh://git@host.example/a.git');
  assert.is(publicUrl('git@host.example:a/b.git'), 'git@host.example:a/b.git');
  assert.is(publicUrl('/home/me/repository'), undefined);
  assert.is(publicUrl('file:///home/me/repository'), undefined);
});

test.run();
