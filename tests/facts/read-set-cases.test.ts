import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTexts } from '../../packages/analysis/facts/lock.js';
import { ReadSets } from '../../packages/analysis/facts/of-point.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts } from '../support/compiled.js';
import { compiled } from '../support/facts/families.js';

/* What each form of an expression reads (docs/spec/analysis.md#read-sets). */

const test = suite('what conditions read');

const CASES: readonly (readonly [expr: string, reads: readonly string[]])[] = [
  ['R.attr.a.b == 1', ['resource.attr.a.b']],
  ['R.attr["a"] == 1', ['resource.attr.a']],
  ['has(R.attr.a.b)', ['has(resource.attr.a.b)']],
  ['"a" in R.attr', ['has(resource.attr.a)']],
  ['"a" in R.attr.b', ['resource.attr.b']],
  ['R.attr[P.attr.name] == 1', ['resource.attr.*', 'principal.attr.name']],
  ['R.attr.m[R.attr.name] == 1', ['resource.attr.m.*', 'resource.attr.name']],
  ['P.attr.name in R.attr', ['resource.attr', 'principal.attr.name']],
  ['size(R.attr.a) > 1', ['size(resource.attr.a)']],
  ['size(R.attr) > 1', ['size(resource.attr)']],
  ['R.attr == P.attr', ['resource.attr', 'principal.attr']],
  ['R.attr.a == R.attr.b', ['resource.attr.a', 'resource.attr.b']],
  ['R.attr.l.exists(e, e.a == 1)', ['size(resource.attr.l)', 'resource.attr.l.*.a']],
  ['R.attr.l.all(e, e.a == P.attr.b)', ['size(resource.attr.l)', 'resource.attr.l.*.a', 'principal.attr.b']],
  ['R.attr.l.filter(e, e.a == 1).size() == 1', ['size(resource.attr.l)', 'resource.attr.l.*.a']],
  ['R.attr.l.filter(e, e.a == 1)[0].b == 2', ['size(resource.attr.l)', 'resource.attr.l.*.a', 'resource.attr.l.*.b']],
  ['R.attr.l.filter(e, e.a == 1) == [1]', ['resource.attr.l']],
  ['R.attr.l.map(e, e.a) == [1]', ['size(resource.attr.l)', 'resource.attr.l.*.a']],
  ['(R.attr.c ? R.attr.a : R.attr.b) == 1', ['resource.attr.a', 'resource.attr.b', 'resource.attr.c']],
  ['cel.bind(x, R.attr.a, x.b == x.c)', ['resource.attr.a.b', 'resource.attr.a.c']],
  ['V.place.city == "x"', ['resource.attr.place.city']],
  ['has(V.place)', ['resource.attr.place']],
  ['R.attr.?a.orValue(1) == 1', ['resource.attr.a']],
  ['[R.attr.a, 1].size() == 2', ['resource.attr.a']],
  ['{"k": R.attr.a}.size() == 1', ['resource.attr.a']],
  ['R.attr.until > now()', ['resource.attr.until', 'now()']],
  ['"first" in runtime.effectiveDerivedRoles', ['resource.attr.owner', 'principal.id']],
  ['R.id == P.id', ['principal.id', 'resource.id']],
  ['has(R.attr)', ['size(resource.attr)']],
  ['request.auxData.jwt.sub == P.id', ['auxData.jwt.sub', 'principal.id']],
];

const policies = compiled({
  'roles.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    derivedRoles: {
      name: 'roles',
      definitions: [{ name: 'first', parentRoles: ['user'], condition: { match: { expr: 'R.attr.owner == P.id' } } }],
    },
  }),
  'doc.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      importDerivedRoles: ['roles'],
      variables: { local: { place: 'R.attr.place' } },
      rules: [
        ...CASES.map(([expr], index) => ({
          actions: [`a:${index}`],
          effect: 'EFFECT_ALLOW',
          roles: ['user'],
          condition: { match: { expr } },
        })),
        // Only roles that rules name are listed.
        { actions: ['own'], effect: 'EFFECT_ALLOW', derivedRoles: ['first'] },
      ],
    },
  }),
});
if (policies === undefined) throw new Error('the policies do not compile');
const sets = new ReadSets(policies.program, {}, false);

for (const [index, [expr, reads]] of CASES.entries())
  test(expr, () => {
    const set = sets.of({ kind: 'doc', action: `a:${index}`, roles: ['user'] });
    assert.equal([...readTexts(set)].sort(), [...reads].sort());
  });

const schema = (more: object) => new Map([['s.json', JSON.stringify({ type: 'object', ...more })]]);

for (const [name, more, reads] of [
  ['properties', { properties: { title: { type: 'string' } } }, ['resource.attr.title']],
  ['required names', { required: ['title'] }, ['has(resource.attr.title)']],
  [
    'no further properties',
    { properties: { title: {} }, additionalProperties: false },
    ['size(resource.attr)', 'resource.attr.title'],
  ],
  ['a number of properties', { minProperties: 1 }, ['size(resource.attr)']],
] as const)
  test(`a schema that rejects reads ${name}`, () => {
    const document = {
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }],
      },
    };
    const { lowered } = compileTexts({ 'doc.yaml': JSON.stringify(document) }, { schemaTexts: schema(more) });
    assert.ok(lowered);
    const of = (schemaEnforcement: 'none' | 'reject') =>
      readTexts(
        new ReadSets(fold(lowered), { schemaEnforcement }, false).of({ kind: 'doc', action: 'view', roles: ['user'] }),
      );
    assert.equal([...of('reject')].sort(), [...reads].sort());
    assert.equal(of('none'), []);
  });

test('policies of principals read the id that chooses them', () => {
  const rule = { action: 'view', effect: 'EFFECT_DENY' };
  const own = compiled({
    'doc.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }],
      },
    }),
    'ann.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      principalPolicy: { principal: 'ann', version: 'default', rules: [{ resource: 'doc', actions: [rule] }] },
    }),
  });
  assert.ok(own);
  const set = new ReadSets(own.program, {}, false).of({ kind: 'doc', action: 'view', roles: ['user'] });
  assert.equal(readTexts(set), ['principal.id']);
});

test.run();
