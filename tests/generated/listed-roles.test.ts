import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { selects } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/** Conditions of a derived role, and whether the role is listed for open and for closed resources. */
const LISTED: readonly (readonly [condition: string, open: boolean, closed: boolean])[] = [
  ['V.missing == null', true, true],
  ['V.missing == "a"', false, false],
  ['has(V.missing)', true, true],
  ['V.isMissing', true, true],
  ['!V.isMissing', false, false],
  ['V.isMissing && R.attr.open', true, false],
  ['V.isMissingHere', true, false],
  ['[1, 2].exists(x, x > 1 && V.isMissing)', true, true],
];

const test = suite('listed derived roles');

for (const [condition, ...expected] of LISTED)
  test(`${condition}: check and plan read a failed variable as null (docs/spec/policy-language.md#evaluating-variables)`, async () => {
    const { policies } = await loaded(compileTexts(textsOf(condition)));
    const engine = createEngine(policies);
    const principal = { id: 'u', roles: ['user'], attr: {} };
    const { filter } = engine.plan({ principal, resource: { kind: 'doc' }, actions: ['view'] });
    for (const [index, open] of [true, false].entries()) {
      const attr = { open };
      const resource = { kind: 'doc', id: 'r', attr };
      assert.is(engine.isAllowed({ principal, resource, action: 'view' }), expected[index], `check, open is ${open}`);
      assert.is(selects(filter, { id: 'r', attr }), expected[index], `plan, open is ${open}`);
    }
  });

test.run();

function textsOf(condition: string): Record<string, string> {
  const derivedRoles = {
    name: 'roles',
    variables: {
      local: {
        missing: 'P.attr.missing',
        isMissing: 'V.missing == null',
        isMissingHere: 'V.missing == null && R.attr.open',
      },
    },
    definitions: [{ name: 'listed', parentRoles: ['user'], condition: { match: { expr: condition } } }],
  };
  const expr = '"listed" in runtime.effectiveDerivedRoles';
  const resourcePolicy = {
    resource: 'doc',
    version: 'default',
    importDerivedRoles: ['roles'],
    rules: [
      { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } },
      // A set that no rule uses lists no roles.
      { actions: ['other'], effect: 'EFFECT_ALLOW', derivedRoles: ['listed'] },
    ],
  };
  const textOf = (document: object): string => JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document });
  return { 'roles.yaml': textOf({ derivedRoles }), 'doc.yaml': textOf({ resourcePolicy }) };
}
