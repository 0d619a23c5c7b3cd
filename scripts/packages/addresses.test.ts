import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Addresses, addressesOf } from './addresses.js';
import { manifestOf } from './manifest.js';
import { PACKAGES } from './packages.js';

const test = suite('addresses in packages');

const ROOT = join(import.meta.dirname, '../..');
const REPOSITORY = { version: '1.2.3', license: 'Apache-2.0', engines: { node: '>=20' }, dependencies: {} };

const manifests = (addresses?: Addresses) =>
  PACKAGES.map((definition) => manifestOf(definition, REPOSITORY, addresses) as { readonly [key: string]: unknown });

test('all addresses follow from the page of the repository', () => {
  const expected = {
    homepage: 'https://git.example.com/acme/authz#readme',
    repository: 'git+https://git.example.com/acme/authz.git',
    bugs: 'https://git.example.com/acme/authz/issues',
  };
  for (const page of ['', '/', '.git', '.git/'].map((end) => `https://git.example.com/acme/authz${end}`))
    assert.equal(addressesOf(page), expected, page);
});

test('what is not the public page of a repository is refused', () => {
  for (const [page, reason] of [
    ['acme/authz', /`acme\/authz` must be a URL such as/],
    ['git@git.example.com:acme/authz.git', /must be a URL/],
    ['ssh://git@git.example.com/acme/authz', /must begin with https/],
    ['http://git.example.com/acme/authz', /must begin with https/],
    ['https://git.example.com/', /must have the path/],
    ['https://user:secret@git.example.com/acme/authz', /^(?!.*secret).*must not have a user/],
    ['https://git.example.com/acme/authz?token=1', /must not have a user, a query/],
  ] as const)
    assert.throws(() => addressesOf(page), reason, page);
});

test('each package names the addresses and a folder of its own, or none of them', () => {
  const folders = manifests(addressesOf('https://git.example.com/acme/authz')).map((manifest) => {
    const { directory, ...repository } = manifest['repository'] as { readonly directory: string };
    assert.equal(repository, { type: 'git', url: 'git+https://git.example.com/acme/authz.git' });
    assert.is(manifest['homepage'], 'https://git.example.com/acme/authz#readme');
    assert.equal(manifest['bugs'], { url: 'https://git.example.com/acme/authz/issues' });
    assert.is(execFileSync('git', ['ls-files', directory], { cwd: ROOT, encoding: 'utf8' }) === '', false, directory);
    return directory;
  });
  assert.is(new Set(folders).size, PACKAGES.length);
  for (const manifest of manifests())
    for (const key of ['homepage', 'repository', 'bugs']) assert.not(Object.hasOwn(manifest, key), key);
});

test('packages have keywords, and do not ask for funding', () => {
  for (const manifest of manifests()) {
    assert.ok((manifest['keywords'] as readonly string[]).length >= 8);
    assert.not(Object.hasOwn(manifest, 'funding'));
  }
});

test.run();
