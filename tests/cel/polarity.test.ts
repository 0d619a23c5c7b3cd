import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attributes, Request } from '../../runtime/policy/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

// Past findings of the differential test, one of each: an expression, the attributes of the resource, and whether the
// condition holds.

type Example = readonly [sentence: string, expr: string, attr: Attributes, holds: boolean];

const EXAMPLES: readonly Example[] = [
  ['`!` of an `==` that a hierarchy refuses does not hold', '!(hierarchy("a.b") == R.attr.x)', { x: 1 }, false],
  ['`!=` of what a hierarchy refuses holds', 'hierarchy("a.b") != R.attr.x', { x: 1 }, true],
  [
    '`!` of an `==` of a bound SPIFFE ID does not hold',
    '!(cel.bind(s, spiffeID("spiffe://a/b"), dyn(s)) == R.attr.x)',
    { x: 1 },
    false,
  ],
  ['a hierarchy is unequal to null', '!(hierarchy("a.b") == R.attr.x)', { x: null }, true],
  ['a list of hierarchies differs from a list of strings', '[hierarchy("a")] != R.attr.x', { x: ['a'] }, true],
  [
    '`!` of an `==` below `exists` does not hold either',
    '[spiffeTrustDomain("a"), null].exists(e, !(e == R.attr.x) && e != null)',
    { x: 1 },
    false,
  ],
  [
    'a constant of the policy is not a literal, so all elements of the list are evaluated',
    'C.word in [R.attr.x, "alice"]',
    {},
    false,
  ],
  [
    'a message with a hierarchy differs from one with a string',
    'authz.engine.v1.Request.Principal{attr: {"a": hierarchy("x")}} != authz.engine.v1.Request.Principal{attr: {"a": "x"}}',
    {},
    true,
  ],
  ['the instant of the call may be of no known type', 'dyn(now()) > timestamp("1969-01-01T00:00:00Z")', {}, true],
  ['a literal among literals needs no other member', '"alice" in [R.attr.x, "alice"]', {}, true],
];

const test = suite('polarity of conditions');

test('each example holds or fails to hold as the specification says', async () => {
  const rules = EXAMPLES.map(([, expr], index) => ({
    name: `r${index}`,
    actions: ['act'],
    effect: 'EFFECT_ALLOW',
    roles: ['*'],
    condition: { match: { expr } },
  }));
  const policy = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'doc', version: 'default', constants: { local: { word: 'alice' } }, rules },
  });
  const { policies } = await loaded(compileTexts({ 'doc.yaml': policy }));
  const emitted = policies.resourcePolicies[0]?.rules ?? [];
  for (const [index, [sentence, expr, attr, holds]] of EXAMPLES.entries()) {
    assert.is(emitted[index]?.when?.(requestAbout(attr)), holds, `${sentence}: ${expr}`);
  }
});

test.run();

function requestAbout(attr: Attributes): Request {
  return {
    principal: { id: 'alice', roles: ['user'], attr: {}, policyVersion: '', scope: '' },
    resource: { kind: 'doc', id: 'r1', attr, policyVersion: '', scope: '' },
    auxData: { jwt: {}, jwts: {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: {},
    now: { seconds: 0, nanos: 0, offset: 0 },
  };
}
