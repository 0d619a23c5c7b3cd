import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import semver from 'semver';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { type EndedFile, runSuite } from '../../scripts/test/suite-process.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { BESIDE, otherVersions, SETS, type Versions } from './peer-versions.mjs';

/*
 * What guards and adapters do is tested with the versions of package.json. Here the same test files run with the oldest
 * and the newest version that an application may have, which .ci/run installs.
 */
const test = suite('versions of libraries beside the package');

/** The test files, each with the libraries whose versions it depends on. */
const FILES: { readonly [file: string]: readonly string[] } = {
  'tests/middleware/express.test.ts': ['express'],
  'tests/middleware/fastify.test.ts': ['fastify'],
  'tests/middleware/hono.test.ts': ['hono'],
  'tests/middleware/nest.test.ts': ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express'],
  'tests/middleware/react.test.ts': ['react', 'react-dom'],
  'tests/middleware/trpc.test.ts': ['@trpc/server'],
  'tests/adapters/query-builders.test.ts': ['@mikro-orm/core', 'drizzle-orm', 'knex', 'kysely', 'sequelize', 'typeorm'],
  'tests/adapters/query-schemas.test.ts': ['@mikro-orm/core', 'drizzle-orm', 'knex', 'kysely', 'sequelize', 'typeorm'],
  'packages/bundle/archive.test.ts': ['jose', 'semver'],
  'packages/bundle/signatures.test.ts': ['jose', 'semver'],
};

/** The files to run with versions that differ from those of package.json. */
function filesFor(versions: Versions): readonly string[] {
  return Object.entries(FILES)
    .filter(([, peers]) => peers.some((peer) => versions[peer] !== undefined))
    .map(([file]) => file);
}

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

test('every library of a set has a test file', () => {
  const tested = new Set(Object.values(FILES).flat());
  for (const versions of Object.values(SETS))
    assert.equal(
      Object.keys(versions).filter(
        (peer) => !tested.has(peer) && !BESIDE.includes(peer) && !peer.startsWith('@mikro-orm/'),
      ),
      [],
    );
});

for (const name of ['oldest', 'newest'] as const) {
  const versions = otherVersions(name);
  const files = filesFor(versions);
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
    await runSuite(process.execPath, files, variables, (file) => ended.set(file.file, file));
    assert.equal([...ended.keys()], files);
  });

  for (const file of files) {
    test(`${file}, with the ${name} versions`, () => {
      const result = ended.get(file);
      if (result === undefined) return;
      assert.ok(result.passed > 0 && result.failed === 0, result.output);
    });
  }
}

test.run();
