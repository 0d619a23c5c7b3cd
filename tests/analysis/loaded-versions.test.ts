import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadVersion, type PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { addHashes, compareVersions, diffVersions } from '../../packages/analysis/diff/diff.js';
import { compileTexts } from '../support/compiled.js';
import { programVersion } from '../support/analysis/program-version.js';

/** Code is emitted, bundled and loaded for the first request that it has to confirm. */
const test = suite('loaded versions');

test('a difference loads both bundles once, and equal rows load none', async () => {
  const [public_, again, team] = ['public', 'public', 'team'].map((visibility) => textsOf(visibility));
  for (const [old, new_, areEqual, loads] of [
    [public_, again, true, [0, 0]],
    [public_, team, false, [1, 1]],
  ] as const) {
    const versions = [counted(programVersion(old as Texts)), counted(programVersion(new_ as Texts))] as const;
    const { rows } = await diffVersions(versions[0].version, versions[1].version);
    assert.is(
      rows.every(({ verdict }) => verdict === 'unchanged'),
      areEqual,
    );
    assert.equal(
      versions.map(({ loads: count }) => count()),
      loads,
    );
  }
});

test('the hash of a version is that of its bundle, which is loaded once', async () => {
  const version = loadVersion(compileTexts(textsOf('public')), 'policies');
  assert.ok(version);
  const [compiled, again] = [await version.compiled(), await version.compiled()];
  assert.is(compiled, again);
  assert.is(await version.hash(), compiled.hash);
  assert.is((await version.traced()).conditions.size, 1);
});

test('equal rows emit no code; only the hashes of a report do', async () => {
  const versions = [textsOf('public'), { ...textsOf('public'), 'new.yaml': '' }].map((texts) => {
    const compilation = compileTexts(texts);
    let reads = 0;
    const observed = {
      program: compilation.program,
      lowered: compilation.lowered,
      get files() {
        reads += 1;
        return compilation.files;
      },
    };
    return { version: loadVersion(observed, 'policies') as PolicyVersion, reads: () => reads };
  });
  const [old, new_] = versions.map(({ version }) => version) as [PolicyVersion, PolicyVersion];
  const result = await compareVersions(old, new_);
  assert.equal(
    versions.map(({ reads }) => reads()),
    [0, 0],
  );
  const report = await addHashes(result, old, new_);
  assert.equal(
    versions.map(({ reads }) => reads()),
    [1, 1],
  );
  assert.equal(Object.keys(report), Object.keys(result));
  assert.is(report.old.hash, report.new.hash);
  assert.match(report.old.hash, /^[0-9a-f]{16}$/);
});

type Texts = { readonly [path: string]: string };

function textsOf(visibility: string): Texts {
  const rules = [
    {
      actions: ['view'],
      effect: 'EFFECT_ALLOW',
      roles: ['user'],
      condition: { match: { expr: `R.attr.visibility == "${visibility}"` } },
    },
    { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['editor'] },
  ];
  const resourcePolicy = { resource: 'doc', version: 'default', rules };
  return { 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) };
}

/** A version, and how often its bundle is asked for. */
function counted(version: PolicyVersion): { readonly version: PolicyVersion; readonly loads: () => number } {
  let loads = 0;
  const compiled = (): ReturnType<PolicyVersion['compiled']> => {
    loads += 1;
    return version.compiled();
  };
  return { version: { ...version, compiled }, loads: () => loads };
}

test.run();
