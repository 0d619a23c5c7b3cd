import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { Attributes, Request } from '../../runtime/policy/index.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import { ready } from '../support/analysis/program-version.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import type { DiffRow } from '../../packages/analysis/diff/report.js';
import { NotEncodable } from '../../packages/analysis/encode/smt.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { holds, makeSurroundings } from '../../packages/analysis/program/conditions.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import type { AssumedSchema } from '../../packages/analysis/question/question.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { SchemaAddress } from '../../compiler/ir/schema.js';
import type { InvariantSet } from '../../compiler/ir/invariants.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import type { Match, Program, ResourceModule } from '../../compiler/ir/program.js';
import { batches } from '../support/plan/schema-cases.js';
import { randomRow } from '../support/plan/random-schemas.js';
import { concreteQuery } from '../support/solve/concrete.js';
import { z3 } from '../support/solve/z3.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random schemas, and of rows for each; SEED is the first seed. */
const SCHEMAS = rounds(80);
const ROWS = 12;

const test = suite('schemas that proofs assume');
const solver = z3();
const prover = makeProver(solver, { effort: 3 });

test.after(() => prover.close());

/** Attributes that a schema accepts, with the queries of what the conditions of its policy decide about them. */
async function* acceptedRows(): AsyncGenerator<{ readonly about: string; readonly query: string }> {
  for await (const { cases, policies, program } of batches(SEED, SCHEMAS)) {
    const engine = createEngine(policies, { schemaEnforcement: 'warn' });
    const { modules, schemas } = program as Program;
    for (const { kind, schema, random } of cases) {
      const module = modules.find((own) => own.kind === 'resource' && own.kindName === kind) as ResourceModule;
      const at = module.schemas.resource?.validator;
      if (at === undefined || 'unavailable' in at) continue;
      const assumed: AssumedSchema = { attributesOf: 'resource', at, modules: schemas };
      for (let number = 0; number < ROWS; number += 1) {
        const attr = randomRow(random, schema) as Attributes;
        const principal = { id: 'alice', roles: ['user'], attr: { level: 1 } };
        const resource = { kind, id: 'r1', attr };
        const [result] = engine.check({ principal, resources: [{ resource, actions: ['view'] }] });
        if (result?.validationErrors.length !== 0) continue;
        for (const { condition } of module.rules) {
          if (condition === undefined) continue;
          const request = requestOf(kind, attr);
          const decided = holds(condition, makeSurroundings(module, request));
          const about = `${JSON.stringify(schema)} accepts ${JSON.stringify(attr)}`;
          try {
            yield { about, query: concreteQuery(condition, module, request, decided, [assumed]) };
          } catch (error) {
            if (!(error instanceof NotEncodable)) throw error;
          }
        }
      }
    }
  }
}

function requestOf(kind: string, attr: Attributes): Request {
  return {
    principal: { id: 'alice', roles: ['user'], attr: { level: 1 }, policyVersion: '', scope: '' },
    resource: { kind, id: 'r1', attr, policyVersion: '', scope: '' },
    auxData: { jwt: {}, jwts: {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: {},
    now: { seconds: 0, nanos: 0, offset: 0 },
  };
}

async function isAdmitted(query: string): Promise<boolean | undefined> {
  const output = await solver.run(`(set-option :rlimit 1000000)\n${query}\n(check-sat)\n`);
  assert.match(output ?? 'unknown', /^(sat|unsat|unknown)\s*$/, `${output}: ${query}`);
  return output?.startsWith('sat') ? true : output?.startsWith('unsat') ? false : undefined;
}

test('admit all attributes that they accept', async () => {
  const seen = { rows: 0, open: 0 };
  for await (const { about, query } of acceptedRows()) {
    const answer = await isAdmitted(query);
    assert.is.not(answer, false, about);
    seen.rows += 1;
    if (answer === undefined) seen.open += 1;
  }
  assert.ok(seen.rows > SCHEMAS && seen.open < seen.rows / 10, JSON.stringify(seen));
});

/** A mistake in what is assumed of `x`, made in the text of a query, and attributes that show it. */
const MISTAKES: readonly {
  readonly name: string;
  readonly schema: object;
  readonly attr: Attributes;
  readonly wrong: (query: string) => string;
}[] = [
  {
    name: 'to take each number for an integer',
    schema: { properties: { x: { type: 'number' } } },
    attr: { x: 1.5 },
    wrong: (query) => query.replace(/\(\(_ is Dbl\) (t\d+)\)/g, '(is_int (dbl $1))'),
  },
  {
    name: 'to require each property',
    schema: { properties: { x: { type: 'number' } } },
    attr: {},
    wrong: (query) => query.replace(/\(or \(isErr t\d+\) /g, '(or '),
  },
  {
    name: 'to exclude a minimum',
    schema: { properties: { x: { minimum: 2 } } },
    attr: { x: 2 },
    wrong: (query) => query.replace(/\(>= \(dbl /g, '(> (dbl '),
  },
  {
    name: 'to take a limit of numbers for a type',
    schema: { properties: { x: { maximum: 2 } } },
    attr: { x: 'text' },
    wrong: (query) => query.replace(/\(=> (\(\(_ is Dbl\) t\d+\)) /g, '(and $1 '),
  },
  {
    name: 'to count the units of UTF-16',
    schema: { properties: { x: { maxLength: 1 } } },
    attr: { x: '\u{1f600}' },
    wrong: (query) => query.replace(/\(str\.len \(str t\d+\)\)/g, '(* 2 $&)'),
  },
  {
    name: 'to let all of several schemas accept',
    schema: { properties: { x: { oneOf: [{ type: 'string' }, { type: 'number' }] } } },
    attr: { x: 1 },
    wrong: (query) => query.replace(/\(or (\(\(_ is \w+\) t\d+\) \(\(_ is \w+\) t\d+\))\)/g, '(and $1)'),
  },
  {
    name: 'to close a schema with patterns',
    schema: { properties: { y: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
    attr: { x: 1 },
    wrong: (query) => `${query}\n(assert (isErr (entry |resource.attr | "x")))`,
  },
];

for (const { name, schema, attr, wrong } of MISTAKES)
  test(`admit what shows that it would be a mistake ${name}`, async () => {
    const { lowered } = await versionOf(schema, 'R.attr.x == 1');
    const module = lowered.modules[0] as ResourceModule;
    const match = module.rules[0]?.condition as Match;
    const at = module.schemas.resource?.validator as SchemaAddress;
    const request = requestOf('doc', attr);
    const decided = holds(match, makeSurroundings(module, request));
    const assumed: AssumedSchema = { attributesOf: 'resource', at, modules: lowered.schemas };
    const query = concreteQuery(match, module, request, decided, [assumed]);
    assert.is(await isAdmitted(query), true);
    assert.is(await isAdmitted(wrong(query)), false, query);
  });

const SCHEMA = {
  type: 'object',
  required: ['id', 'kind', 'count', 'owner'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', minLength: 3 },
    kind: { enum: ['a', 'b', 7] },
    count: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
    owner: { $ref: '#/$defs/person' },
    tags: { type: 'array', minItems: 1, maxItems: 2, items: { enum: ['x', 'y'] } },
    level: { anyOf: [{ const: 'low' }, { type: 'number', minimum: 5 }] },
    tree: { $ref: '#/$defs/tree' },
  },
  $defs: {
    person: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, boss: { $ref: '#' } } },
    tree: { anyOf: [{ type: 'null' }, { properties: { tree: { $ref: '#/$defs/tree' }, x: { $ref: '#' } } }] },
  },
};

/** How the decision turns from one condition to another, where the schema above is enforced. */
async function change(before: string, after: string): Promise<DiffRow> {
  const { rows } = await diffVersions(await versionOf(SCHEMA, before), await versionOf(SCHEMA, after), {
    engine: { schemaEnforcement: 'reject' },
    prover: async () => ({ ...prover, close: async () => undefined }),
  });
  return rows.find(({ action }) => action === 'view') as DiffRow;
}

/** A policy with one condition, for resources with a schema. */
async function versionOf(schema: object, expr: string): Promise<PolicyVersion> {
  return (await compiledOf(schema, { actions: ['view'], condition: { match: { expr } } })).version;
}

/** A policy with one rule, and statements about it. */
async function compiledOf(
  schema: object,
  rule: object,
  { ignoreWhen, statements }: { readonly ignoreWhen?: object; readonly statements?: readonly object[] } = {},
): Promise<{ readonly version: PolicyVersion; readonly invariants: readonly InvariantSet[] }> {
  const documents: Record<string, object> = {
    'doc.yaml': {
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        schemas: { resourceSchema: { ref: 'authz:///doc.json', ...(ignoreWhen && { ignoreWhen }) } },
        rules: [{ name: 'view', effect: 'EFFECT_ALLOW', roles: ['user'], ...rule }],
      },
    },
    ...(statements && { 'invariants.yaml': { invariants: { name: 'all', statements } } }),
  };
  const sources = Object.entries(documents).map(
    ([path, document]) => new Source(path, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })),
  );
  const compilation = compile(sources, undefined, { schemaTexts: new Map([['doc.json', JSON.stringify(schema)]]) });
  const { program, lowered, invariants } = compilation;
  const { bundle: compiled } = makeBundle(program as Program);
  const version = { source: 'policies', program: program as Program, lowered: lowered as Program, ...ready(compiled) };
  return { version, invariants };
}

for (const [before, after] of [
  ['R.attr.kind in ["a", "b", 7.0]', 'has(R.attr.kind)'],
  ['R.attr.count > 0.5 && R.attr.count < 9.5', 'true'],
  ['R.attr.count == 1 || R.attr.count >= 2', 'true'],
  ['R.attr.id != "" && size(R.attr.id) > 2', 'true'],
  ['R.attr.owner.name == R.attr.owner.name', 'true'],
  ['has(R.attr.other)', 'false'],
  ['has(R.attr.tags) && size(R.attr.tags) < 3', 'has(R.attr.tags)'],
  ['has(R.attr.level) && R.attr.level != "high"', 'has(R.attr.level)'],
  ['R.attr.tree.tree.x.count == 0', 'false'],
  ['R.attr.owner.boss.count == 0', 'false'],
] as const)
  test(`prove that ${before} is ${after}`, async () => {
    const { verdict, widened, narrowed } = await change(before, after);
    assert.is(verdict, 'unchanged', JSON.stringify([widened, narrowed]));
  });

for (const [before, after] of [
  ['R.attr.kind == "a"', 'R.attr.kind in ["a", "b"]'],
  ['R.attr.count > 5', 'R.attr.count > 4'],
  ['R.attr.owner.name == "bob" && R.attr.count == 2', 'R.attr.owner.name == "bob"'],
  ['"x" in R.attr.tags && "y" in R.attr.tags', '"x" in R.attr.tags'],
  ['R.attr.tags.exists(tag, tag == "x" && R.attr.count == 3)', 'R.attr.tags.exists(tag, tag == "x")'],
] as const)
  test(`leave a request for which ${after} is more than ${before}`, async () => {
    const { widened } = await change(before, after);
    assert.is(widened.answer, 'yes', JSON.stringify(widened));
    const attr = widened.answer === 'yes' ? widened.request.resource.attr : {};
    for (const name of SCHEMA.required) assert.ok(Object.hasOwn(attr, name), `${name}: ${JSON.stringify(attr)}`);
  });

const SIZED = { type: 'object', required: ['size'], properties: { size: { type: 'number', minimum: 0 } } };
const ENFORCED = {
  engine: { schemaEnforcement: 'reject' },
  prover: async () => ({ ...prover, close: async () => undefined }),
} as const;

for (const [exempt, example] of [
  ['create', 'create'],
  ['create*', 'createx'],
  ['c?eate', 'cxeate'],
  ['cre[d-e]te', 'credte'],
  ['{create,import}', 'create'],
  ['cr\\eate', 'create'],
] as const)
  test(`are not assumed of actions that \`ignoreWhen\` exempts by ${exempt}`, async () => {
    const options = { ignoreWhen: { actions: [exempt] } };
    // The schema makes the condition true.
    const condition = { match: { expr: 'R.attr.size >= 0' } };
    const [old, new_] = [
      await compiledOf(SIZED, { actions: ['*'], condition }, options),
      await compiledOf(SIZED, { actions: ['*'] }, options),
    ];
    const { rows } = await diffVersions(old.version, new_.version, ENFORCED);
    assert.equal(
      rows.map(({ action, verdict }) => [action, verdict]),
      [
        [example, 'widened'],
        ['something', 'unchanged'],
      ],
    );
    const about = { resource: 'doc', scope: '', version: 'default', principal: { roles: ['user'] } };
    const statements = [{ name: 'all', always: about }];
    const { version, invariants } = await compiledOf(SIZED, { actions: ['*'], condition }, { ...options, statements });
    const [always] = (await verifyStatements(version, invariants, ENFORCED)).statements;
    assert.equal(
      always?.rows.map(({ action, answer }) => [action, answer]),
      [
        [example, 'refuted'],
        ['something', 'proved'],
      ],
    );
  });

test('exempt actions that no rule names need not be reachable', async () => {
  const { version, invariants } = await compiledOf(
    SIZED,
    { actions: ['view'] },
    { ignoreWhen: { actions: ['create'] }, statements: [{ name: 'alive', reachable: { resource: 'doc' } }] },
  );
  const [alive] = (await verifyStatements(version, invariants, ENFORCED)).statements;
  assert.equal(
    alive?.rows.map(({ action, answer }) => [action, answer]),
    [['view', 'proved']],
  );
});

test.run();
