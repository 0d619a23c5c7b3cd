import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { selects } from '../../runtime/residual/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { compileTexts, loaded } from '../support/compiled.js';

const test = suite('modules of filters');

const policy = (resource: string, rule: object, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource,
      version: 'default',
      rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], ...rule }],
      ...more,
    },
  });

const when = (expr: string): object => ({ condition: { match: { expr } } });

const planOf = (engine: ReturnType<typeof createEngine>, kind: string, scope = '') =>
  engine.plan({ principal: { id: 'u', roles: ['user'] }, resource: { kind, scope }, actions: ['view'] });

test('policies whose names end like a filter module have separate modules', async () => {
  const compilation = compileTexts({
    'doc.yaml': policy('doc', when('R.attr.n == 1')),
    'where.yaml': policy('doc.where', when('R.attr.n == 2')),
    'upper.yaml': policy('doc.WHERE', when('R.attr.n == 3')),
    'scope.yaml': policy('doc', when('R.attr.n == 4'), { scope: 'where' }),
    'scoped.yaml': policy('doc', when('R.attr.n == 5'), { scope: 'where.where' }),
  });
  const paths = compilation.files.map(({ path }) => path.toLowerCase());
  assert.is(new Set(paths).size, paths.length);
  const engine = createEngine((await loaded(compilation)).policies, { lenientScopeSearch: true });
  for (const [kind, scope, n] of [
    ['doc', '', 1],
    ['doc.where', '', 2],
    ['doc.WHERE', '', 3],
    ['doc', 'where', 4],
    ['doc', 'where.where', 5],
  ] as const)
    for (let value = 1; value <= 5; value += 1) {
      // A child's ALLOW stands beside its parents'.
      const expected = value === n || (scope !== '' && (value === 1 || (n === 5 && value === 4)));
      assert.is(
        selects(planOf(engine, kind, scope).filter, { id: 'r', attr: { n: value } }),
        expected,
        `${kind} ${scope} ${value}`,
      );
    }
});

test('rules may be called what modules of filters call things', async () => {
  const names = [
    'doc',
    'doc-where',
    'filters',
    'Filters',
    'planned-condition',
    'row',
    'residual',
    'query',
    'resource-policy',
  ];
  const rules = names.map((name, index) => ({
    name,
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    ...when(`R.attr.n == ${index}`),
  }));
  const text = policy('doc', {}, { rules });
  const engine = createEngine((await loaded(compileTexts({ 'doc.yaml': text }))).policies);
  const { filter, unplanned } = planOf(engine, 'doc');
  assert.equal(unplanned, []);
  for (const index of names.keys()) assert.ok(selects(filter, { id: 'r', attr: { n: index } }), names[index]);
  assert.not.ok(selects(filter, { id: 'r', attr: { n: names.length } }));
});

test('a rule through a derived role without a condition has its own condition only', async () => {
  const roles = {
    name: 'people',
    definitions: [
      { name: 'anyone', parentRoles: ['user'] },
      { name: 'owner', parentRoles: ['user'], ...when('R.attr.owner == P.id') },
    ],
  };
  const rule = (action: string, derivedRole: string, more: object = {}): object => ({
    actions: [action],
    effect: 'EFFECT_ALLOW',
    derivedRoles: [derivedRole],
    ...more,
  });
  const rules = [
    rule('view', 'anyone'),
    rule('list', 'anyone', when('R.attr.open == true')),
    rule('edit', 'owner'),
    rule('drop', 'owner', when('R.attr.open == true')),
  ];
  const { policies } = await loaded(
    compileTexts({
      'doc.yaml': policy('doc', {}, { importDerivedRoles: ['people'], rules }),
      'people.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', derivedRoles: roles }),
    }),
  );
  const engine = createEngine(policies);
  const principal = { id: 'u', roles: ['user'] };
  const expected = { view: [1, 1, 1, 1], list: [1, 0, 1, 0], edit: [1, 1, 0, 0], drop: [1, 0, 0, 0] };
  const rows = [
    { owner: 'u', open: true },
    { owner: 'u', open: false },
    { owner: 'v', open: true },
    { owner: 'v', open: false },
  ];
  for (const [action, answers] of Object.entries(expected)) {
    const { filter } = engine.plan({ principal, resource: { kind: 'doc' }, actions: [action] });
    assert.equal(
      rows.map((attr) => Number(selects(filter, { id: 'r', attr }))),
      answers,
      `plan ${action}`,
    );
    const check = (attr: object) => engine.isAllowed({ principal, resource: { kind: 'doc', id: 'r', attr }, action });
    assert.equal(
      rows.map((attr) => Number(check(attr))),
      answers,
      `check ${action}`,
    );
  }
});

test('a condition without a filter selects no row, and is reported', async () => {
  const { policies } = await loaded(compileTexts({ 'doc.yaml': policy('doc', when('R.attr.n == 1')) }));
  const { filters: _, ...rest } = policies;
  const { filter, unplanned } = planOf(createEngine(rest), 'doc');
  assert.equal(filter, { kind: 'KIND_ALWAYS_DENIED' });
  assert.equal(
    unplanned.map(({ reason }) => reason),
    ['a condition that was compiled for checks only'],
  );
});

test('compiled for checks only, modules have no filters and export no rules', () => {
  const source = new Source('doc.yaml', policy('doc', when('R.attr.n == 1')));
  const { files } = compile([source], undefined, { checksOnly: true });
  assert.not.ok(files.some(({ path }) => path.endsWith('.where.ts')));
  const text = files.find(({ path }) => path === 'resource/doc.ts')?.text ?? '';
  assert.match(text, /^const rule001 = /m);
  assert.not.match(files.find(({ path }) => path === 'index.ts')?.text ?? '', 'filters');
});

test('policies with the same shape keep their own filters, within one shard and across shards', async () => {
  const texts: Record<string, string> = {};
  for (let i = 0; i < 230; i += 1) {
    // Two shapes by turns: the filters of one stand before the rules of the other.
    const rule = i % 2 === 0 ? when(`R.attr.n == ${i}`) : { name: `named-${i % 4}`, ...when(`R.attr.n <= ${i}`) };
    texts[`p${i}.yaml`] = policy(`kind_${i}`, rule);
  }
  const engine = createEngine((await loaded(compileTexts(texts))).policies);
  for (const i of [0, 1, 2, 3, 117, 118, 228, 229])
    for (const n of [i - 1, i, i + 1]) {
      const { filter } = planOf(engine, `kind_${i}`);
      assert.is(selects(filter, { id: 'r', attr: { n } }), i % 2 === 0 ? n === i : n <= i, `${i}, ${n}`);
    }
});

test.run();
