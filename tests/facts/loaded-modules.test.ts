import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/* Who does not use facts loads nothing of them. */

const test = suite('modules of facts');

const CHILD = fileURLToPath(new URL('loaded-modules-child.ts', import.meta.url));

/** The modules of this repository that a program has loaded when it has answered a question. */
async function listLoaded(kind: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CHILD, kind], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout) as readonly string[];
}

/** What the audit log needs to keep only what decisions read. */
const OF_AUDIT = ['fact-names', 'of-check', 'project', 'set-digest', 'sha256'].map(
  (name) => `runtime/facts/${name}.ts`,
);

/** What fetches facts, or decides without them. */
function ofFacts(paths: readonly string[]): readonly string[] {
  return paths.filter(
    (path) =>
      /^server\/facts\/|^packages\/(adapters|analysis)\//.test(path) ||
      (path.startsWith('runtime/facts/') && !OF_AUDIT.includes(path)),
  );
}

test('a server without sources loads nothing of them, and one with sources does', async () => {
  const without = await listLoaded('server');
  assert.ok(without.includes('server/service/check-resources.ts') && without.length > 100, String(without.length));
  assert.equal(ofFacts(without), []);
  const added = ofFacts(await listLoaded('server with sources'));
  for (const path of ['server/facts/call-facts.ts', 'runtime/facts/loop.ts', 'server/facts/http-source.ts'])
    assert.ok(added.includes(path), `${path}: ${added.join(' ')}`);
});

test('an application without facts loads nothing of them, and one with facts does', async () => {
  const without = await listLoaded('application');
  assert.ok(without.includes('runtime/engine/engine.ts'), without.join(' '));
  assert.equal(
    without.filter((path) => path.startsWith('runtime/facts/') || path.startsWith('packages/analysis/')),
    [],
  );
  assert.ok((await listLoaded('application with facts')).includes('runtime/facts/loop.ts'));
});

test.run();
