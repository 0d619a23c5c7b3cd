import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type PlanRequest } from '../../runtime/engine/index.js';
import { ruleFilters } from '../../runtime/engine/rule-filters.js';
import { renderSql, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { CONTACTS, TEXTS_BY_CONDITION } from './rendered-sql.js';

const PRINCIPAL = { id: 'u1', roles: ['user'], attr: {} };
const DIALECTS: readonly SqlDialect[] = ['sqlite', 'postgresql', 'mysql'];

const test = suite('SQL text of filters');

test('each condition reads like one written by hand, with bound values', async () => {
  const expressions = Object.keys(TEXTS_BY_CONDITION);
  const { policies } = await loaded(
    compileTexts({ 'p.yaml': policyText(expressions.map((expr, index) => allow(`a${index}`, expr))) }),
  );
  const engine = createEngine(policies);
  for (const [index, expr] of expressions.entries()) {
    const { filter } = engine.plan(requestOf(`a${index}`));
    const expected = TEXTS_BY_CONDITION[expr];
    for (const dialect of DIALECTS) {
      const rendered = renderSql(filter, CONTACTS, { dialect });
      assert.is(
        rendered.kind === 'sql'
          ? rendered.text
          : `refused: ${rendered.problems.map(({ reason }) => reason).join('; ')}`,
        expected?.[dialect],
        `${dialect}: ${expr}`,
      );
      if (rendered.kind === 'sql')
        assert.is(rendered.text.match(/\?|\$\d+/g)?.length ?? 0, rendered.parameters.length, expr);
      if (rendered.kind === 'sql' && dialect === 'postgresql')
        assert.equal(rendered.parameters, expected?.parameters, expr);
    }
  }
});

test('always and never are conditions, too', () => {
  for (const dialect of DIALECTS) {
    assert.equal(renderSql({ kind: 'KIND_ALWAYS_ALLOWED' }, CONTACTS, { dialect }), {
      kind: 'sql',
      text: '1 = 1',
      parts: ['1 = 1'],
      parameters: [],
    });
    assert.equal(renderSql({ kind: 'KIND_ALWAYS_DENIED' }, CONTACTS, { dialect }), {
      kind: 'sql',
      text: '1 = 0',
      parts: ['1 = 0'],
      parameters: [],
    });
  }
});

test('the parameters of PostgreSQL follow those of the rest of the statement', () => {
  const filter = equal('ownerId', 'u1');
  assert.equal(renderSql(filter, CONTACTS, { dialect: 'postgresql', offset: 2 }), {
    kind: 'sql',
    text: 'contacts.owner_id = $3',
    parts: ['contacts.owner_id = ', ''],
    parameters: ['u1'],
  });
});

test('a table is named by its alias', () => {
  const rendered = renderSql(equal('ownerId', 'u1'), { ...CONTACTS, alias: 'c' }, { dialect: 'sqlite' });
  assert.is(rendered.kind === 'sql' && rendered.text, 'c.owner_id = ?');
});

test('no column name escapes its quotes, and a name that no database allows is an error', () => {
  const named = (column: string): unknown =>
    renderSql(equal('x', 'u1'), { name: 't', columns: { x: { column, type: 'text' } } }, { dialect: 'sqlite' });
  assert.equal(named('x" = 1 OR "y'), {
    kind: 'sql',
    text: 't."x"" = 1 OR ""y" = ?',
    parts: ['t."x"" = 1 OR ""y" = ', ''],
    parameters: ['u1'],
  });
  assert.throws(() => named('x\0'), /not the name of a column/);
  assert.throws(() => named(''), /not the name of a column/);
});

test('no value of a policy or a principal is in the text', () => {
  const hostile = `'; DROP TABLE contacts; -- " \` \\ $1 ?`;
  for (const dialect of DIALECTS) {
    const rendered = renderSql(equal('ownerId', hostile), CONTACTS, { dialect });
    assert.ok(rendered.kind === 'sql' && !rendered.text.includes('DROP') && rendered.parameters.includes(hostile));
  }
});

test('a filter that cannot be rendered is rejected completely, and each reason is traced to its rule', async () => {
  const rules = [
    allow('view', 'R.attr.ownerId == P.id', 'owners'),
    allow('view', 'R.attr.shared && R.attr.ownerId.matches("^a+")', 'patterns'),
    { ...allow('view', 'R.attr.secret', 'secrets'), effect: 'EFFECT_DENY' },
  ];
  const { policies } = await loaded(compileTexts({ 'p.yaml': policyText(rules) }));
  const request = requestOf('view');
  const rendered = renderSql(createEngine(policies).plan(request).filter, CONTACTS, {
    dialect: 'sqlite',
    rules: () => ruleFilters(policies, request),
  });
  assert.equal(rendered, {
    kind: 'refused',
    problems: [
      {
        operator: 'variable',
        reason: 'no column is mapped for request.resource.attr.secret',
        part: 'request.resource.attr.secret',
        policy: 'resource.contact.vdefault',
        rule: 'secrets',
      },
      {
        operator: 'matches',
        reason: 'cannot be translated to SQL exactly',
        part: '(matches request.resource.attr.ownerId "^a+")',
        policy: 'resource.contact.vdefault',
        rule: 'patterns',
      },
    ],
  });
});

test('an error names a rule for the action, not one with the same condition for another action', async () => {
  const refused = 'R.attr.ownerId.matches("^a+")';
  const rules = [
    allow('edit', refused, 'another-action'),
    allow('edit:*', refused, 'other-actions'),
    allow('view:*', refused, 'this-action'),
  ];
  const { policies } = await loaded(compileTexts({ 'p.yaml': policyText(rules) }));
  const request = {
    principal: { id: 'u1', roles: ['user'], attr: {} },
    resource: { kind: 'contact' },
    actions: ['view:all'],
  };
  assert.equal(
    ruleFilters(policies, request).map(({ rule }) => rule),
    ['this-action'],
  );
  const rendered = renderSql(createEngine(policies).plan(request).filter, CONTACTS, {
    dialect: 'sqlite',
    rules: () => ruleFilters(policies, request),
  });
  assert.equal(rendered.kind === 'refused' && rendered.problems.map(({ rule }) => rule), ['this-action']);
});

test('errors name rules of principal and role policies, too', async () => {
  const matches = { match: { expr: 'R.attr.ownerId.matches("^a+")' } };
  const { policies } = await loaded(
    compileTexts({
      'p.yaml': policyText([{ ...allow('view', 'true', 'all'), condition: undefined }]),
      'u.yaml': policyOf({
        principalPolicy: {
          principal: 'u1',
          version: 'default',
          rules: [
            {
              resource: 'contact',
              actions: [{ action: 'view', name: 'mine', effect: 'EFFECT_DENY', condition: matches }],
            },
          ],
        },
      }),
    }),
  );
  const request = requestOf('view');
  const rendered = renderSql(createEngine(policies).plan(request).filter, CONTACTS, {
    dialect: 'mysql',
    rules: () => ruleFilters(policies, request),
  });
  assert.equal(
    rendered.kind === 'refused' && rendered.problems.map(({ operator, policy, rule }) => ({ operator, policy, rule })),
    [{ operator: 'matches', policy: 'principal.u1.vdefault', rule: 'mine' }],
  );
});

test.run();

function allow(action: string, expr: string, name = action): object {
  return { name, actions: [action], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } };
}

function policyText(rules: readonly object[]): string {
  return policyOf({ resourcePolicy: { resource: 'contact', version: 'default', rules } });
}

function policyOf(document: object): string {
  return JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document });
}

function requestOf(action: string): PlanRequest {
  return { principal: PRINCIPAL, resource: { kind: 'contact' }, actions: [action] };
}

function equal(attribute: string, value: string): Parameters<typeof renderSql>[0] {
  return {
    kind: 'KIND_CONDITIONAL',
    condition: {
      expression: { operator: 'eq', operands: [{ variable: `request.resource.attr.${attribute}` }, { value }] },
    },
  };
}
