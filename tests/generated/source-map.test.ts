import { join } from 'node:path';
import { decode } from '@jridgewell/sourcemap-codec';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundle } from '../../compiler/bundle/index.js';
import { compileTexts, ROOT } from '../support/compiled.js';

const test = suite('source map of a bundle');

/** Every rule and derived role has a unique name, which marks its line. */
const POLICIES = {
  'music/album.yaml': `# A comment moves what follows.
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [people]
  variables:
    local: { is_open: 'R.attr.state == "OPEN"' }
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW

      roles: [user]
      condition: { match: { expr: 'V.is_open && R.attr.kind in ["a", "b"]' } }
      name: view-open
    - { name: edit-own, actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner-of-it], condition: { match: { expr: 'R.attr.n < 5' } } }
`,
  'people.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - parentRoles: [user]
      name: owner-of-it
      condition: { match: { expr: R.attr.owner == P.id } }
`,
  'alice.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - resource: album
      actions:
        - action: view
          effect: EFFECT_DENY
          name: alice-views
          condition: { match: { expr: 'R.attr.bob == true' } }
        - { action: "e*", effect: EFFECT_ALLOW, name: alice-edits, condition: { match: { expr: 'R.attr.eve == true' } } }
`,
  'clerk.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  version: default
  rules:

    - name: clerk-views
      resource: album
      allowActions: [view]
      condition:
        match: { expr: P.attr.desk == 1 }
`,
};

/** The line where each one begins. */
const EXPECTED: Readonly<Record<string, string>> = {
  'view-open': 'music/album.yaml:10',
  'edit-own': 'music/album.yaml:16',
  'owner-of-it': 'people.yaml:5',
  'alice-views': 'alice.yaml:8',
  'alice-edits': 'alice.yaml:12',
  'clerk-views': 'clerk.yaml:7',
};

test('the condition of every rule and derived role maps to its source line', async () => {
  const { js, map } = await bundle(compileTexts(POLICIES).files, join(ROOT, 'runtime'));
  const lines = js.split('\n');
  const found = Object.keys(EXPECTED).map((name) => [name, originOf(map, conditionLine(lines, name))]);
  assert.equal(Object.fromEntries(found), EXPECTED);
});

test('declarations for a rule map to the rule', async () => {
  const { js, map } = await bundle(compileTexts(POLICIES).files, join(ROOT, 'runtime'));
  const line = js
    .split('\n')
    .findIndex((text) => text.includes('new Set(["a", "b"])') || text.includes("new Set(['a', 'b'])"));
  assert.is(originOf(map, line), 'music/album.yaml:10');
});

test.run();

/** The line of the bundle, 0-based, with the `when` that follows the name. */
function conditionLine(lines: readonly string[], name: string): number {
  const start = lines.findIndex((line) => line.includes(`name: "${name}"`));
  return lines.findIndex((line, index) => index > start && line.includes('when'));
}

/** The `file:line` of the policies for a line of the bundle. */
function originOf(map: string, line: number): string {
  const { sources, mappings } = JSON.parse(map) as { readonly sources: readonly string[]; readonly mappings: string };
  const segment = decode(mappings)[line]?.find((candidate) => candidate.length > 1);
  if (segment === undefined || segment.length === 1) return `line ${line} is not mapped`;
  return `${sources[segment[1]]}:${segment[2] + 1}`;
}
