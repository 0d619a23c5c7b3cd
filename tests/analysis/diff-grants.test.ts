import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diffPolicies, type DiffReport, type PolicyTexts } from '../../packages/cli/analysis-library.js';
import { diffList } from '../../packages/analysis/diff/report/list.js';
import { markdownDiff } from '../../packages/analysis/diff/report/markdown.js';
import { prettyDiff } from '../../packages/analysis/diff/report/pretty.js';
import { plain } from '../../compiler/diagnostics/paint.js';

/** What policies let tenants grant, compared between two sets. */
const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [view, edit, delete, "comment:*"], effect: EFFECT_ALLOW, roles: [editor]}
    - {actions: [view], effect: EFFECT_ALLOW, roles: [viewer]}
`;

function policies(grants: string | undefined, scope = 'tenants.*', rolePrefix = 'tenant:'): PolicyTexts {
  const tenants = `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "${scope}"
  rolePrefix: "${rolePrefix}"
  grants: ${grants}
`;
  return {
    policies: [
      { path: 'album.yaml', text: ALBUM },
      ...(grants === undefined ? [] : [{ path: 'tenants.yaml', text: tenants }]),
    ],
  };
}

const changesOf = ({ grants }: DiffReport): readonly string[] =>
  grants.map(
    ({ change, scope, rolePrefix, role, resource, actions }) =>
      `${change} ${rolePrefix}${scope} ${role} ${resource} ${actions.join()}`,
  );
const between = async (old: PolicyTexts, new_: PolicyTexts): Promise<readonly string[]> =>
  changesOf(await diffPolicies(old, new_));

const VIEW = '[{role: editor, resources: [{resource: album, actions: [view]}]}]';
const MORE =
  '[{role: editor, resources: [{resource: album, actions: [delete, view, edit]}]}, {role: viewer, resources: [{resource: "*", actions: [view]}]}]';

test('grants that are added and removed are listed, by role and kind', async () => {
  assert.equal(await between(policies(VIEW), policies(VIEW)), []);
  assert.equal(await between(policies(VIEW), policies(MORE)), [
    'added tenant:tenants.* editor album delete,edit',
    'added tenant:tenants.* viewer * view',
  ]);
  assert.equal(await between(policies(MORE), policies(VIEW)), [
    'removed tenant:tenants.* editor album delete,edit',
    'removed tenant:tenants.* viewer * view',
  ]);
  assert.equal(await between(policies(undefined), policies(VIEW)), ['added tenant:tenants.* editor album view']);
  assert.equal(await between(policies(VIEW), policies(undefined)), ['removed tenant:tenants.* editor album view']);
});

test('what another grant of the role contains is no change', async () => {
  const globs = '[{role: editor, resources: [{resource: "*", actions: ["*"]}]}]';
  const names =
    '[{role: editor, resources: [{resource: album, actions: [view]}, {resource: album, actions: ["comment:*"]}]}]';
  assert.equal(await between(policies(globs), policies(names)), ['removed tenant:tenants.* editor * *']);
  assert.equal(await between(policies(names), policies(globs)), ['added tenant:tenants.* editor * *']);
});

test('tenants with another scope or prefix are other tenants', async () => {
  assert.equal(await between(policies(VIEW), policies(VIEW, '*')), [
    'added tenant:* editor album view',
    'removed tenant:tenants.* editor album view',
  ]);
  assert.equal(await between(policies(VIEW), policies(VIEW, 'tenants.*', 'org:')), [
    'added org:tenants.* editor album view',
    'removed tenant:tenants.* editor album view',
  ]);
});

test('all formats show them', async () => {
  const report = await diffPolicies(policies(VIEW), policies(MORE), { action: 'delete' });
  assert.is(
    prettyDiff(report, { pathOf: (_, file) => file, paint: plain }),
    `roles that tenants may give
  ADDED   editor   delete, edit of album   by \`tenant:\` of tenants.*
  ADDED   viewer   view of *   by \`tenant:\` of tenants.*

only action delete
1 row of kind, version, scope and action: all unchanged
`,
  );
  assert.is(
    diffList(report),
    `album default - delete unchanged
grant: added role=editor kind=album actions=delete,edit scope=tenants.* prefix=tenant:
grant: added role=viewer kind=* actions=view scope=tenants.* prefix=tenant:
`,
  );
  const markdown = markdownDiff(report);
  assert.match(markdown, /^### Policies: no decision changes, other grants to tenants\n/);
  assert.match(
    markdown,
    'Tenants (`tenant:` of `tenants.*`) may now give the role `editor` for `delete`, `edit` of `album`.',
  );
});

test.run();
