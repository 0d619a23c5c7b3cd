import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import semver from 'semver';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { type EndedFile, runSuite } from '../../scripts/test/suite-process.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

/*
 * What guards and adapters do is tested with the versions of package.json. Here the same test files run with the oldest
 * and the newest version that an application may have, which .ci/run installs.
 */
const test = suite('versions of libraries beside the package');

type Versions = { readonly [name: string]: string };
const SETS = JSON.parse(readFileSync(join(ROOT, 'tests/installation/peers.json'), 'utf8')) as {
  readonly oldest: Versions;
  readonly newest: Versions;
};

const FILES = [
  ...['express', 'fastify', 'hono', 'nest', 'react', 'trpc'].map((name) => `tests/middleware/${name}.test.ts`),
  'tests/adapters/query-builders.test.ts',
  'tests/adapters/query-schemas.test.ts',
  'packages/bundle/archive.test.ts',
  'packages/bundle/signatures.test.ts',
];

test('no peer is exact, and its range has the oldest and the newest version', () => {
  for (const { optionalPeers } of PACKAGES) {
    for (const [peer, range] of Object.entries(optionalPeers)) {
      if (PACKAGES.some(({ name }) => name === peer)) continue;
      assert.is(semver.valid(range), null, `${peer} ${range}`);
      for (const versions of Object.values(SETS)) {
        const version = versions[peer];
        if (version !== undefined) assert.ok(semver.satisfies(version, range), `${peer} ${version} is not in ${range}`);
      }
    }
  }
});

for (const [name, versions] of Object.entries(SETS)) {
  const folder = join(ROOT, '.cache', `peers-${name}`);
  const ended = new Map<string, EndedFile>();

  test(`the ${name} versions run in one process`, async () => {
    if (!existsSync(join(folder, 'node_modules'))) {
      skip(import.meta.url, `the ${name} versions are not installed (.cache/peers-${name}, by .ci/run)`);
      return;
    }
    const variables = {
      NODE_OPTIONS: `--import ${pathToFileURL(join(ROOT, 'tests/support/other-versions.mjs')).href}`,
      AUTHZ_PEERS: pathToFileURL(`${folder}/`).href,
      AUTHZ_PEER_NAMES: JSON.stringify(Object.keys(versions)),
      // MikroORM compares its version with the packages of this repository.
      MIKRO_ORM_ALLOW_VERSION_MISMATCH: '1',
    };
    await runSuite(process.execPath, FILES, variables, (file) => ended.set(file.file, file));
    assert.equal([...ended.keys()], FILES);
  });

  for (const file of FILES) {
    test(`${file}, with the ${name} versions`, () => {
      const result = ended.get(file);
      if (result === undefined) return;
      assert.ok(result.passed > 0 && result.failed === 0, result.output);
    });
  }
}

test.run();
