import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import semver from 'semver';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
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
  for (const file of FILES) {
    test(`${file}, with the ${name} versions`, () => {
      if (!existsSync(join(folder, 'node_modules'))) {
        skip(import.meta.url, `the ${name} versions are not installed (.cache/peers-${name}, by .ci/run)`);
        return;
      }
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', 'tsx', '--import', './tests/support/other-versions.mjs', file],
        {
          cwd: ROOT,
          encoding: 'utf8',
          env: {
            ...process.env,
            AUTHZ_PEERS: pathToFileURL(`${folder}/`).href,
            AUTHZ_PEER_NAMES: JSON.stringify(Object.keys(versions)),
            // MikroORM compares its version with the packages of this repository.
            MIKRO_ORM_ALLOW_VERSION_MISMATCH: '1',
          },
        },
      );
      assert.is(status, 0, `${stdout}${stderr}`);
    });
  }
}

test.run();
