import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileTexts, loaded } from '../../tests/support/compiled.js';
import { renderCapabilities } from '../residual/sql/index.js';
import { capabilities, createEngine, delegation } from './index.js';

const test = suite('capabilities');

const RULES = [
  { actions: ['view', 'read'], effect: 'EFFECT_ALLOW', roles: ['user'], expr: 'R.attr.owner == P.id' },
  { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['user'], expr: 'timestamp(R.attr.until) > now()' },
  { actions: ['listed'], effect: 'EFFECT_ALLOW', roles: ['user'], expr: '[?R.attr.?tags].size() == 1' },
  { actions: ['open'], effect: 'EFFECT_ALLOW', roles: ['user'] },
  { actions: ['__proto__'], effect: 'EFFECT_ALLOW', roles: ['user'], expr: 'R.attr.owner == P.id' },
].map(({ expr, ...rule }) => (expr === undefined ? rule : { ...rule, condition: { match: { expr } } }));
const policy = {
  apiVersion: 'api.authz.dev/v1',
  resourcePolicy: { resource: 'doc', version: 'default', rules: RULES },
};
const { policies } = await loaded(compileTexts({ 'doc.yaml': JSON.stringify(policy) }));
const principal = { id: 'u1', roles: ['user'] };
const resource = { kind: 'doc' };
const TABLE = { name: 'docs', columns: { owner: { column: 'owner', type: 'text' } } } as const;

let reads = 0;
const engine = createEngine(policies, {
  use: [capabilities()],
  clock() {
    reads += 1;
    return { seconds: 0, nanos: 0, offset: 0 };
  },
});

test('each cell is what isAllowed decides, also of an action named like a property of objects', () => {
  const rows = [
    { id: '1', attr: { owner: 'u1' } },
    { id: '2', attr: { owner: 'u2' } },
    { id: '3', attr: {} },
  ];
  const actions = ['view', 'edit', 'listed', 'open', 'other', '__proto__'];
  const cells = engine.capabilities({ principal, resource, rows, actions });
  assert.is(cells.length, rows.length);
  for (const [index, row] of rows.entries())
    for (const action of actions) {
      const own = Object.getOwnPropertyDescriptor(cells[index], action)?.value as unknown;
      assert.is(own, engine.isAllowed({ principal, resource: { ...resource, ...row }, action }), action);
    }
});

test('what a partial row does not list is unknown, and a rule without a filter leaves it open', () => {
  const [known, open] = engine.capabilities({
    principal,
    resource,
    rows: [{ attr: { owner: 'u2' } }, {}],
    actions: ['view', 'edit', 'listed', 'open'],
    partial: true,
  });
  assert.equal(known, { view: 'denied', edit: 'conditional', listed: 'conditional', open: 'allowed' });
  assert.equal(open, { view: 'conditional', edit: 'conditional', listed: 'conditional', open: 'allowed' });
});

test('the plans of all actions are of one instant, and each is the plan of its action alone', () => {
  reads = 0;
  const actions = ['view', 'edit', 'open', 'none'] as const;
  const plans = engine.planCapabilities({ principal, resource, actions: [...actions] });
  assert.is(reads, 1);
  for (const action of actions)
    assert.equal(plans[action]?.filter, engine.plan({ principal, resource, actions: [action] }).filter);
  const separate = createEngine(policies, { use: [delegation(), capabilities()] });
  const both = separate.planCapabilities({
    principal: { ...principal, actors: [principal] },
    resource,
    actions: ['view'],
  });
  assert.equal(both['view']?.filter, plans['view'].filter);
});

test('a principal with actors, and duplicates, are refused as a plan refuses them', () => {
  const plan =
    (changed: object): (() => unknown) =>
    () =>
      engine.planCapabilities({ principal, resource, actions: ['view'], ...changed });
  assert.throws(plan({ principal: { ...principal, actors: [principal] } }), /actors/);
  assert.throws(plan({ actions: ['view', 'view'] }), /not unique/);
  assert.throws(plan({ principal: { roles: ['user'] } }), /principal\.id/);
});

test('without the part, calls say what is missing', () => {
  const plain = createEngine(policies);
  assert.throws(() => plain.capabilities({ principal, resource, rows: [], actions: [] }), /capabilities\(\)/);
  assert.throws(() => plain.planCapabilities({ principal, resource, actions: ['view'] }), /capabilities\(\)/);
});

test('a column is settled, constants are literals, and equal conditions share their parameters in PostgreSQL', () => {
  const plans = engine.planCapabilities({ principal, resource, actions: ['view', 'open', 'read', 'none'] });
  const { text, parameters, columns } = renderCapabilities(plans, TABLE, { dialect: 'postgresql', offset: 2 });
  const own = '((docs.owner = $3) IS TRUE)';
  assert.is(text, `${own} AS "canView", TRUE AS "canOpen", ${own} AS "canRead", FALSE AS "canNone"`);
  assert.equal(parameters, ['u1']);
  assert.equal(
    columns.map(({ always }) => always),
    [undefined, true, undefined, false],
  );
  const sqlite = renderCapabilities(plans, TABLE, { dialect: 'sqlite' });
  assert.equal(sqlite.parameters, ['u1', 'u1']);
  assert.match(sqlite.text, / 1 AS "canOpen", .* 0 AS "canNone"$/);
});

test('an action without SQL throws with its name, or is NULL; a rule without a filter is noted', () => {
  const plans = engine.planCapabilities({ principal, resource, actions: ['edit', 'listed', 'open'] });
  assert.throws(
    () => renderCapabilities(plans, TABLE, { dialect: 'sqlite' }),
    (error: Error) => error.name === 'UnsupportedPlanError' && error.message.includes('the plan of `edit` has no'),
  );
  const { columns, refused } = renderCapabilities(plans, TABLE, { dialect: 'sqlite', onRefused: 'null' });
  assert.equal(
    columns.map((column) => column.text),
    ['NULL', '0', '1'],
  );
  assert.equal(
    refused.map(({ action, column }) => [action, column]),
    [
      ['edit', 'null'],
      ['listed', 'narrower'],
    ],
  );
  assert.ok(refused.every(({ problems }) => problems.length > 0));
});

test('a name that another column has is refused', () => {
  const plans = engine.planCapabilities({ principal, resource, actions: ['view', 'View'] });
  const render =
    (names?: (action: string) => string): (() => unknown) =>
    () =>
      renderCapabilities(plans, TABLE, { dialect: 'sqlite', ...(names && { names }) });
  assert.throws(render(), /`canView` of the action `View` has the name of the column of the action `view`/);
  assert.throws(
    render(() => 'owner'),
    /has the name of the column `owner` of the table/,
  );
  assert.not.throws(render((action) => `may_${action === 'view' ? 'read' : action}`));
});

test('columns that are together too long refuse the largest', () => {
  const many = (count: number) => ({
    filter: {
      kind: 'KIND_CONDITIONAL' as const,
      condition: {
        expression: {
          operator: 'in',
          operands: [
            { variable: 'request.resource.attr.owner' },
            { value: Array.from({ length: count }, (_, index) => `u${index}`) },
          ],
        },
      },
    },
  });
  const plans = { few: many(10), most: many(20_000), more: many(15_000) };
  const { refused } = renderCapabilities(plans, TABLE, { dialect: 'sqlite', onRefused: 'null' });
  assert.equal(
    refused.map(({ action }) => action),
    ['most'],
  );
});

test.run();
