import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reportUnfilteredRules } from '../../packages/analysis/tables/unfiltered-rules.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { fold } from '../../compiler/optimise/index.js';
import { ruleFilters } from '../../runtime/engine/rule-filters.js';
import { renderSql, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { DOCUMENT_HAZARDS, TYPED_HAZARDS } from '../support/sql/typed-hazards.js';
import { typedTable } from '../support/sql/typed-table.js';
import { compileRules, compileTexts, loaded } from '../support/compiled.js';

const test = suite('rules without SQL over declared tables');

/** Whether they have SQL depends on the principal. */
const DEPENDING = [
  'R.attr.map.a == P.attr.x',
  'R.attr.a.startsWith(P.attr.x)',
  'P.attr.x.exists(p, p == R.attr.a)',
  'R.attr.a in P.attr.x',
  'R.attr.at == P.attr.x',
  'P.attr.x == R.attr.at || R.attr.a == "x"',
  '[P.attr.x, R.attr.a].exists(p, p == "x")',
  'now() - timestamp(R.attr.at) > duration("1h")',
  'timestamp(R.attr.at) + duration(P.attr.x) > now()',
];

/** They never have SQL. */
const REFUSED = [
  'R.attr.a.matches("^x+y")',
  'R.attr.missing == P.attr.x',
  'R.attr.map.a == R.attr.map.n',
  'P.attr.x.matches("^x") && R.attr.a.matches("x+$")',
  'P.attr.x[R.attr.a] == 1',
  'R.attr.a == "x" && !(R.attr.missing.y == P.id)',
  'R.attr.list.map(t, t + P.attr.x) == ["a"]',
];

const PRINCIPALS = ['x', '', 1, 2.5, true, null, ['x'], [], { a: 'x' }, '2020-01-01T00:00:00Z', undefined].map((x) => ({
  id: 'u1',
  roles: ['user'],
  attr: x === undefined ? {} : { x, empty: '', nul: 'a', half: 'b' },
}));

for (const dialect of ['sqlite', 'postgresql', 'mysql'] satisfies SqlDialect[]) {
  test(`a rule is reported for ${dialect} exactly if no principal gets a condition of it`, async () => {
    const conditions = [...TYPED_HAZARDS, ...DOCUMENT_HAZARDS, ...DEPENDING, ...REFUSED];
    const rules = conditions.map((expr, index) => ({
      name: `r${index}`,
      actions: ['view'],
      effect: 'EFFECT_ALLOW',
      roles: ['user'],
      condition: { match: { expr } },
    }));
    const compilation = compileRules('thing', rules);
    const { policies } = await loaded(compilation);
    const table = typedTable(dialect);
    const report = new Diagnostics();
    reportUnfilteredRules(fold(compilation.lowered as never), new Map([['thing', table]]), dialect, report);
    const reported = new Set(report.sorted().map(({ message }) => message.match(/`(r\d+)`/)?.[1]));

    const rendered = new Set<string>();
    const conditional = new Set<string>();
    for (const principal of PRINCIPALS) {
      for (const { rule, filter } of ruleFilters(policies, {
        principal,
        resource: { kind: 'thing' },
        actions: ['view'],
      })) {
        if (filter.kind !== 'KIND_CONDITIONAL') continue;
        conditional.add(rule);
        if (renderSql(filter, table, { dialect }).kind === 'sql') rendered.add(rule);
      }
    }
    for (const [index, expr] of conditions.entries()) {
      const rule = `r${index}`;
      if (conditional.has(rule)) assert.is(reported.has(rule), !rendered.has(rule), expr);
    }
    for (const expr of REFUSED) assert.ok(reported.has(`r${conditions.indexOf(expr)}`), expr);
  });
}

test('a derived role and the rules of principals and roles are reported where they concern the kind', () => {
  const { lowered } = compileTexts({
    'roles.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: roles
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
    - { name: unused, parentRoles: [user], condition: { match: { expr: R.attr.other == P.id } } }
`,
    'document.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [roles]
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner] }
    - { name: active, actions: [view], effect: EFFECT_DENY, roles: ['*'], condition: { match: { expr: '"owner" in runtime.effectiveDerivedRoles' } } }
`,
    'principal.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - { resource: 'doc*', actions: [{ name: mine, action: view, effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.a == 1 } } }] }
    - { resource: album, actions: [{ action: view, effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.b == 1 } } }] }
`,
    'role.yaml': `apiVersion: api.authz.dev/v1
rolePolicy:
  role: intern
  parentRoles: [user]
  rules:
    - { resource: document, allowActions: [view], condition: { match: { expr: R.attr.c == 1 } } }
`,
  });
  const report = new Diagnostics();
  const tables = new Map([
    ['document', { name: 'documents', columns: { a: { column: 'a', type: 'integer' } } }],
  ] as const);
  reportUnfilteredRules(fold(lowered as never), tables, 'postgresql', report);
  assert.equal(
    report.sorted().map(({ source, message }) => `${source?.path}: ${message.replace(/^(.*?`.*?`).*attr\./, '$1 ')}`),
    ['role.yaml: rule `document` c', 'roles.yaml: derived role `owner` owner'],
  );
});

test.run();
