import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AccessRequest,
  createEngine,
  type Engine,
  type EngineOptions,
  type PlanRequest,
  type PlanResult,
  ruleFilters,
} from '../../runtime/engine/index.js';
import { NULLS, REFERENCE, selects } from '../../runtime/residual/index.js';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { loaded } from '../support/compiled.js';

const test = suite('plans under schemas');

/**
 * Rules of one action each: `view` without a condition, `edit` for open documents of the principal, and `list`, which
 * the schema ignores.
 */
const RULES = [
  { actions: ['view', 'list'], effect: 'EFFECT_ALLOW', roles: ['*'] },
  {
    actions: ['view'],
    effect: 'EFFECT_DENY',
    roles: ['*'],
    condition: { match: { expr: 'R.attr.status == "LOCKED"' } },
  },
  {
    actions: ['edit'],
    effect: 'EFFECT_ALLOW',
    roles: ['*'],
    condition: { match: { expr: 'R.attr.status == "OPEN" && R.attr.owner == P.id' } },
  },
];

interface Asked extends EngineOptions {
  readonly actions?: readonly string[];
  readonly attr?: { readonly [name: string]: JsonValue };
  readonly principal?: { readonly [name: string]: JsonValue };
  readonly scope?: string;
}

type Policies = Parameters<typeof createEngine>[0];

/** The policies of each schema that was asked for: many tests have the same. */
const compiled = new Map<string, Promise<Policies>>();

/** The policies of a schema, at the root and in the scope `acme`, whose own schema is not used. */
function policiesOf(schema: JsonValue): Promise<Policies> {
  const key = JSON.stringify(schema);
  const policies = compiled.get(key) ?? compilePolicies(schema);
  compiled.set(key, policies);
  return policies;
}

async function compilePolicies(schema: JsonValue): Promise<Policies> {
  const schemas = {
    principalSchema: { ref: 'authz:///p.json' },
    resourceSchema: { ref: 'authz:///r.json', ignoreWhen: { actions: ['list'] } },
  };
  const policy = (scope: string, own: JsonValue): Source =>
    new Source(
      `p${scope}.yaml`,
      JSON.stringify({
        apiVersion: 'api.authz.dev/v1',
        resourcePolicy: {
          resource: 'doc',
          version: 'default',
          ...(scope !== '' && { scope }),
          schemas: own,
          rules: RULES,
        },
      }),
    );
  const sources = [policy('', schemas), policy('acme', { resourceSchema: { ref: 'authz:///other.json' } })];
  const texts = new Map(
    Object.entries({
      'r.json': schema,
      'p.json': { properties: { level: { type: 'integer' } } },
      'other.json': false,
    }).map(([file, json]) => [file, JSON.stringify(json)]),
  );
  return (await loaded(compile(sources, new Diagnostics(), { schemaTexts: texts }))).policies;
}

function requestOf({ actions = ['view'], attr, principal = {}, scope = '' }: Asked): PlanRequest {
  return {
    principal: { id: 'alice', roles: ['user'], attr: principal },
    resource: { kind: 'doc', scope, ...(attr && { attr }) },
    actions,
  };
}

async function planOf(schema: JsonValue, asked: Asked = {}): Promise<PlanResult> {
  const { actions: _, attr: __, principal: ___, scope: ____, ...options } = asked;
  return createEngine(await policiesOf(schema), { schemaEnforcement: 'reject', ...options }).plan(requestOf(asked));
}

async function textOf(schema: JsonValue, asked: Asked = {}): Promise<string> {
  return (await planOf(schema, asked)).filterDebug.replaceAll('request.resource.attr.', '');
}

async function engineOf(schema: JsonValue): Promise<Engine> {
  return createEngine(await policiesOf(schema), { schemaEnforcement: 'reject' });
}

function accessTo(attr: { readonly [name: string]: unknown }): AccessRequest {
  return { principal: { id: 'alice', roles: ['user'] }, resource: { kind: 'doc', id: 'd1', attr }, action: 'view' };
}

const STATUS = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } };
const DOCUMENT = {
  required: ['status', 'owner'],
  properties: { status: { enum: ['OPEN', 'LOCKED'] }, owner: { type: 'string' } },
};

test('a DENY no longer selects rows that lack a required attribute or have another type', async () => {
  assert.is(await textOf(STATUS), '(and (not (eq status "LOCKED")) (eq (type status) string))');
});

test('conditions that the rules imply are not repeated', async () => {
  assert.is(await textOf(DOCUMENT, { actions: ['edit'] }), '(and (eq status "OPEN") (eq owner "alice"))');
});

test('a rule that allows only what the schema forbids allows nothing', async () => {
  assert.is(await textOf({ properties: { status: { enum: ['CLOSED'] } } }, { actions: ['edit'] }), '(false)');
});

test('with warn and none a filter has only the rules', async () => {
  const expected = '(or (not (eq status "LOCKED")) (not (has status)))';
  for (const schemaEnforcement of ['warn', 'none'] as const)
    assert.is(await textOf(STATUS, { schemaEnforcement }), expected);
});

test('actions are subject to the schema unless all of them are exempt', async () => {
  assert.is(await textOf(STATUS, { actions: ['list'] }), '(true)');
  assert.is(
    await textOf(STATUS, { actions: ['list', 'view'] }),
    '(and (eq (type status) string) (not (eq status "LOCKED")))',
  );
});

test('the schema of the root applies in every scope, and no other schema does', async () => {
  assert.is(await textOf(STATUS, { scope: 'acme' }), '(and (not (eq status "LOCKED")) (eq (type status) string))');
});

test('a principal that violates its schema is denied everything, with the reason', async () => {
  const plan = await planOf(STATUS, { principal: { level: 'high' } });
  assert.is(plan.filter.kind, 'KIND_ALWAYS_DENIED');
  assert.equal(plan.validationErrors, [
    { path: '/level', message: 'expected integer, but got string', source: 'SOURCE_PRINCIPAL' },
  ]);
});

test('listed attributes are validated at once', async () => {
  const plan = await planOf(DOCUMENT, { attr: { status: 'CLOSED' } });
  assert.is(plan.filter.kind, 'KIND_ALWAYS_DENIED');
  assert.equal(
    plan.validationErrors.map(({ path }) => path),
    ['/status'],
  );
  assert.is(await textOf(DOCUMENT, { attr: { status: 'OPEN' } }), '(eq (type owner) string)');
  assert.is(await textOf({ properties: { o: { required: ['k'] } } }, { attr: { o: {}, status: 'OPEN' } }), '(false)');
});

test('attributes that are not listed may fix a violation that the listed ones have alone', async () => {
  const schema = {
    minProperties: 2,
    anyOf: [{ required: ['owner'] }, { properties: { status: { const: 'LOCKED' } } }],
  };
  const plan = await planOf(schema, { attr: { status: 'OPEN' } });
  assert.equal(plan.validationErrors, []);
  assert.is(plan.filterDebug, '(and (ge (size request.resource.attr) 2) (has request.resource.attr.owner))');
});

test('a constraint that no filter can express is reported and selects nothing', async () => {
  const email = { type: 'string', format: 'email' };
  const optional = await planOf({ properties: { mail: email } });
  assert.equal(optional.unplanned, [
    { policy: 'resource.doc.vdefault', rule: 'resourceSchema', reason: 'the format email' },
  ]);
  assert.match(optional.filterDebug, '(not (has request.resource.attr.mail))');
  assert.is((await planOf({ required: ['mail'], properties: { mail: email } })).filter.kind, 'KIND_ALWAYS_DENIED');
  assert.is(
    await textOf(
      { not: { properties: { mail: email } } },
      { actions: ['edit'], attr: { status: 'OPEN', owner: 'alice' } },
    ),
    '(not (eq (type mail) string))',
  );
});

test('a recursive schema is followed once, and one that is too long up to a limit', async () => {
  const tree = { properties: { kid: { $ref: '#' } } };
  assert.equal(
    (await planOf(tree)).unplanned.map(({ reason }) => reason),
    ['a schema that refers to itself'],
  );
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, level) => [
      `d${level}`,
      { properties: { a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } } },
    ]),
  );
  const plan = await planOf({ $defs: { ...$defs, d20: { type: 'string' } }, $ref: '#/$defs/d0' });
  assert.equal(
    plan.unplanned.map(({ reason }) => reason),
    ['a schema that is too long for a filter'],
  );
});

test('a schema whose objects nest deeper than the validation limit selects nothing, even if another branch would accept them', async () => {
  const chain = (levels: number): JsonValue => ({
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, level) => [
        `d${level}`,
        level === levels - 1 ? { type: 'object' } : { type: 'object', $ref: `#/$defs/d${level + 1}` },
      ]),
    ),
    anyOf: [{ $ref: '#/$defs/d0' }, { type: 'object' }],
  });
  for (const [levels, isAllowed] of [
    [499, true],
    [500, false],
  ] as const) {
    const plan = await planOf(chain(levels), { attr: {} });
    assert.is((await engineOf(chain(levels))).isAllowed(accessTo({})), isAllowed);
    assert.is(selects(plan.filter, { id: 'd1', attr: {} }), isAllowed);
    assert.equal(
      plan.unplanned.map(({ reason }) => reason),
      isAllowed ? [] : ['a schema that nests too deeply'],
    );
  }
});

/** The validation limits that a filter does not express, as documented in docs/plans.md. */
test('only check denies values that take more than a million validation steps, or nest more than 500 levels where items must be unique', async () => {
  const schema = { properties: { tags: { items: { type: 'string' } }, parts: { uniqueItems: true } } };
  const engine = await engineOf(schema);
  const { filter } = await planOf(schema, { actions: ['view'] });
  const nested = (levels: number): readonly unknown[] =>
    Array.from({ length: levels }).reduce<readonly unknown[]>((inner) => [inner], []);
  const rows = [
    [{ tags: Array(900_000).fill('') }, true],
    [{ tags: Array(1_000_000).fill('') }, false],
    [{ parts: nested(490) }, true],
    [{ parts: nested(510) }, false],
  ] as const;
  for (const [attr, isAllowed] of rows) {
    assert.is(engine.isAllowed(accessTo(attr)), isAllowed);
    // That filters select what check allows is the subject of random-schemas.test.ts.
    if (!isAllowed) assert.is(selects(filter, { id: 'd1', attr }), true);
  }
  // Ten schemas for each value that fits in 200 kB of JSON.
  const ten = { items: { allOf: Array(9).fill({ type: 'number' }) } };
  assert.is((await engineOf({ properties: { tags: ten } })).isAllowed(accessTo({ tags: Array(99_990).fill(1) })), true);
});

test('reference shapes test scalars with comparisons', async () => {
  const schema = {
    required: ['s', 'n', 'b'],
    properties: { s: { type: 'string' }, n: { type: 'number' }, b: { type: 'boolean' } },
  };
  assert.is(
    await textOf(schema, { actions: ['edit'], plan: REFERENCE, attr: { status: 'OPEN', owner: 'alice' } }),
    '(and (ge s "") (or (lt n 0) (ge n 0)) (in b [true,false]))',
  );
});

test('with null for what is missing, an attribute that the schema requires is not compared with null again', async () => {
  const both = { properties: { status: { type: 'string' }, owner: { type: 'string' } } };
  const optional = await textOf({ ...both, required: ['owner'] }, { plan: NULLS });
  assert.match(optional, '(eq status null)');
  const required = await textOf({ ...both, required: ['status', 'owner'] }, { plan: NULLS });
  assert.is(required, '(and (ne status "LOCKED") (ge status "") (ge owner ""))');
});

test('values that are not integers are excluded for every type', async () => {
  const asked = { actions: ['edit'], attr: { status: 'OPEN', owner: 'alice' } };
  assert.is(
    await textOf({ required: ['n'], properties: { n: { not: { type: 'integer' } } } }, asked),
    '(not (and (eq (type n) double) (eq (sub n (math.floor n)) 0)))',
  );
});

const TABLE: SqlTable = {
  name: 'docs',
  columns: {
    status: { column: 'status', type: 'text', null: 'never' },
    owner: { column: 'owner', type: 'text' },
    pages: { column: 'pages', type: 'integer' },
    'place.city': { column: 'city', type: 'text' },
  },
};

async function sqlOf(schema: JsonValue, asked: Asked = {}): Promise<string> {
  const sql = renderSql((await planOf(schema, asked)).filter, TABLE, { dialect: 'sqlite' });
  return sql.kind === 'sql' ? sql.text : sql.problems.map(({ reason }) => reason).join('; ');
}

test('columns with the types of the schema add nothing to a statement', async () => {
  const schema = {
    ...STATUS,
    properties: {
      ...STATUS.properties,
      pages: { type: 'integer' },
      owner: { type: 'string' },
      place: { type: 'object', properties: { city: { type: 'string' } } },
    },
  };
  assert.is(await sqlOf(schema), 'docs.status <> ?');
  assert.is(await sqlOf({ ...schema, required: ['status', 'owner'] }), 'docs.status <> ? AND docs.owner IS NOT NULL');
});

test('a closed schema is compared with the columns of a table', async () => {
  const properties = {
    status: { type: 'string' },
    owner: { type: 'string' },
    pages: { type: 'integer' },
    place: { properties: { city: {} }, additionalProperties: false },
  };
  assert.is(await sqlOf({ properties, additionalProperties: false }), 'docs.status <> ?');
  const { owner: _, ...others } = properties;
  assert.is(
    await sqlOf({ properties: others, additionalProperties: false }),
    'docs.status <> ? AND docs.owner IS NULL',
  );
  const { status: __, ...rest } = properties;
  assert.is(await sqlOf({ properties: rest, additionalProperties: false }), '1 = 0');
});

test('a part of a schema that SQL cannot express is rejected with the name of the schema', async () => {
  const schema = { required: ['owner'], properties: { owner: { pattern: '^a+b' } } };
  const policies = await policiesOf(schema);
  const { filter } = createEngine(policies, { schemaEnforcement: 'reject' }).plan(requestOf({}));
  const sql = renderSql(filter, TABLE, {
    dialect: 'sqlite',
    rules: () => ruleFilters(policies, requestOf({}), { schemaEnforcement: 'reject' }),
  });
  assert.ok(sql.kind === 'refused');
  assert.equal(
    sql.problems.map(({ operator, policy, rule }) => ({ operator, policy, rule })),
    [{ operator: 'matches', policy: 'resource.doc.vdefault', rule: 'resourceSchema' }],
  );
});

test.run();
