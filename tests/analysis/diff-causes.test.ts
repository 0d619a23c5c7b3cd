import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffReport } from '../../packages/analysis/diff/report.js';
import { markdownDiff } from '../../packages/analysis/diff/report/markdown.js';
import { prettyDiff } from '../../packages/analysis/diff/report/pretty.js';
import { plain } from '../../compiler/diagnostics/paint.js';
import { compiledSet, type RandomSet } from '../support/analysis/random-claims.js';

const test = suite('causes of differences');

async function diffOf(old: RandomSet['policies'], new_: RandomSet['policies']): Promise<DiffReport> {
  const [before, after] = [old, new_].map((policies) => compiledSet({ policies, schemas: {} })?.version);
  if (before === undefined || after === undefined) throw new Error('both compile');
  return diffVersions(before, after);
}

const policy = (resource: string, scope: string, ...actions: readonly string[]): object => ({
  resourcePolicy: {
    resource,
    version: 'default',
    scope,
    rules: [{ actions, effect: 'EFFECT_ALLOW', roles: ['user'] }],
  },
});

test('a scope that is new is the cause of what it lets the root decide', async () => {
  const root = { 'root.yaml': policy('doc', '', 'view') };
  for (const [added, cause] of [
    [policy('doc', 'acme', 'edit'), 'resource.doc.vdefault/acme'],
    // A scope exists for all kinds if it does for one.
    [policy('other', 'acme', 'edit'), 'resource.other.vdefault/acme'],
  ] as const) {
    const other =
      'resourcePolicy' in added && cause.includes('other') ? { 'other.yaml': policy('other', '', 'edit') } : {};
    const [old, new_] = [
      { ...root, ...other },
      { ...root, ...other, 'acme.yaml': added },
    ];
    for (const [side, report] of [
      ['new', await diffOf(old, new_)],
      ['old', await diffOf(new_, old)],
    ] as const) {
      const row = report.rows.find(
        ({ kind, action, scope }) => kind === 'doc' && action === 'view' && scope === 'acme',
      );
      assert.equal(
        row?.causes.map((each) => [each.side, each.rule, each.place.file]),
        [[side, cause, 'acme.yaml']],
      );
    }
  }
});

const kinds = (count: number, expr: string): RandomSet['policies'] => ({
  'roles.yaml': {
    derivedRoles: {
      name: 'roles',
      definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: { expr } } }],
    },
  },
  ...Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `kind${number}.yaml`,
      {
        resourcePolicy: {
          resource: `kind${number}`,
          version: 'default',
          importDerivedRoles: ['roles'],
          rules: [
            { name: 'owners', actions: ['view', 'edit'], effect: 'EFFECT_ALLOW', derivedRoles: ['owner'] },
            // One of them differs in more.
            ...(number === 2 ? [{ actions: ['view'], effect: 'EFFECT_DENY', roles: ['*'] }] : []),
          ],
        },
      },
    ]),
  ),
});

test('what changes alike for many kinds is one paragraph', async () => {
  const report = await diffOf(kinds(12, 'R.attr.a == 1'), kinds(12, 'R.attr.a == 2'));
  const text = prettyDiff(report, { paint: plain, pathOf: (_, file) => file });
  const lines = text.split('\n');
  assert.equal(
    lines
      .filter((line) => /^(kind| {2}[A-Z]| {4}because)/.test(line))
      .map((line) => line.trim().replace(/ {2,}/g, ' ')),
    [
      'kind0, kind1, kind10, kind11, kind3 and 6 more kinds',
      'MIXED edit, view roles: user',
      'because owners, roles.yaml:1:149 R.attr.a == 1 → R.attr.a == 2',
      'kind2',
      'MIXED edit roles: user',
      'because owners, roles.yaml:1:149 R.attr.a == 1 → R.attr.a == 2',
    ],
  );
  assert.is(report.rows.filter(({ verdict }) => verdict === 'mixed').length, 23);
  assert.match(markdownDiff(report), /^\| 🔀 mixed \| `kind0`, `kind1`, .*more \| `edit`, `view` \|/m);
});

test.run();
