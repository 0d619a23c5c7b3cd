import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import { compileTexts } from '../support/compiled.js';
import { programVersion } from '../support/analysis/program-version.js';
import { OPAQUE, opaqueEquality } from '../support/cel/opaque-conditions.js';
import { OPTIONAL } from '../support/cel/optional-conditions.js';
import type { Family } from '../support/cel/condition-stores.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { z3 } from '../support/solve/z3.js';

/** The number of pairs of sets, and of requests for each. */
const PAIRS = rounds(120, 5);
const REQUESTS = rounds(3000, 500);
/** Whether z3 decides what booleans and search leave open. */
const SOLVER = process.env['SOLVER'] === '1';

const test = suite('claims about random pairs of policies');

const ACTIONS = ['view', 'edit', 'something'] as const;
/** Of requests; some of them have policies. */
const IDS = ['alice', 'bob', 'carol', 'spiffe://a.b/c', 'a.b', 'a'];
const ROLES = ['user', 'admin', 'guest'];

/** What a condition becomes: mostly one that looks the same, and is not always. */
function variant(random: Random, condition: string, family: Family): string {
  const [, left, sign = '', right] = /^(.*) (==|!=|<=|>=|<|>) (.*)$/.exec(condition) ?? [];
  const [, element, list] = /^(.*) in \[(.*)\]$/.exec(condition) ?? [];
  const mirrored = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }[sign] ?? sign;
  const parts = list?.split(', ') ?? [];
  return random.pick([
    ...(left === undefined ? [] : [() => `${right} ${mirrored} ${left}`, () => `${right} ${mirrored} ${left}`]),
    ...(sign === '==' ? [() => `!(${left} != ${right})`, () => `!!(${right} == ${left})`] : []),
    ...(sign === '!=' ? [() => `!(${left} == ${right})`, () => `!(${right} == ${left})`] : []),
    ...(element === undefined ? [] : [() => parts.map((part) => `${element} == ${part}`).join(' || ')]),
    ...(element === undefined ? [] : [() => `!(${parts.map((part) => `${element} != ${part}`).join(' && ')})`]),
    () => `!!(${condition})`,
    () => `(${condition}) || (${family.condition(random)})`,
    () => `(${condition}) && (${family.condition(random)})`,
    () => 'true',
  ])();
}

interface Policies {
  readonly conditions: readonly string[];
  readonly principals: readonly {
    readonly id: string;
    readonly effect: string;
    readonly condition: string | undefined;
  }[];
}

function randomPair(random: Random, family: Family): readonly [Policies, Policies] {
  const conditions = random.times(3, 3, () => (random.chance(0.6) ? opaqueEquality(random) : family.condition(random)));
  const principals = random.some(['alice', 'bob'], 0, 2).map((id) => ({
    id,
    effect: random.pick(['EFFECT_ALLOW', 'EFFECT_DENY']),
    condition: random.chance(0.5) ? family.condition(random) : undefined,
  }));
  const changed = conditions.map((each) => (random.chance(0.8) ? variant(random, each, family) : each));
  const isNegated = random.chance(0.4);
  const shown = (all: readonly string[]): readonly string[] => (isNegated ? all.map((each) => `!(${each})`) : all);
  const others = principals.map((own) =>
    own.condition === undefined || random.chance(0.4)
      ? own
      : { ...own, condition: variant(random, own.condition, family) },
  );
  return [
    { conditions: shown(conditions), principals },
    { conditions: shown(changed), principals: random.chance(0.2) ? others.slice(1) : others },
  ];
}

/** With schemas that requests to edit need not satisfy. */
function textsOf({ conditions, principals }: Policies, family: Family): { readonly [path: string]: string } {
  const variables = { local: family.variables(new Random(1)) };
  const constants = { local: family.constants };
  const when = (expr: string | undefined): object => (expr === undefined ? {} : { condition: { match: { expr } } });
  const [view = '', edit = '', any = ''] = conditions;
  const rules = [
    { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], ...when(view) },
    { actions: ['*'], effect: 'EFFECT_ALLOW', roles: ['admin'], ...when(any) },
    { actions: ['edit'], effect: 'EFFECT_DENY', roles: ['*'], ...when(edit) },
    { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['*'] },
  ];
  const schemas = { resourceSchema: { ref: 'authz:///doc.json', ignoreWhen: { actions: ['edi*'] } } };
  const documents = [
    { resourcePolicy: { resource: 'doc', version: 'default', variables, constants, schemas, rules } },
    ...principals.map(({ id, effect, condition }) => ({
      principalPolicy: {
        principal: id,
        version: 'default',
        variables,
        constants,
        rules: [{ resource: 'doc', actions: [{ action: 'view', effect, ...when(condition) }] }],
      },
    })),
  ];
  return Object.fromEntries(
    documents.map((document, at) => [`${at}.json`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })]),
  );
}

const SCHEMAS = {
  schemaTexts: new Map([
    [
      'doc.json',
      JSON.stringify({ type: 'object', properties: { m: { type: ['object', 'number'] } }, required: ['m'] }),
    ],
  ]),
};

test('no request is against a claim that rows did not change, or that a statement holds', async () => {
  const prover = SOLVER ? { ...makeProver(z3(), { effort: 1 }), close: async () => undefined } : undefined;
  const counts: Record<string, number> = {};
  const count = (name: string): number => (counts[name] = (counts[name] ?? 0) + 1);
  for (let seed = SEED; seed < SEED + PAIRS; seed += 1) {
    const random = new Random(seed);
    const family = random.pick([OPAQUE, OPAQUE, OPTIONAL]);
    const pair = randomPair(random, family);
    const texts = pair.map((own) => textsOf(own, family));
    // Random conditions may have types that do not fit.
    if (texts.some((own) => compileTexts(own, SCHEMAS).lowered === undefined)) {
      count('refused');
      continue;
    }
    const versions = texts.map((own) => programVersion(own, SCHEMAS));
    const [before, after] = versions;
    if (before === undefined || after === undefined) throw new Error('a pair');
    const engine = { schemaEnforcement: random.pick(['none', 'reject'] as const) };
    const options = { engine, effort: 1, ...(prover && { prover: () => Promise.resolve(prover) }) };
    const { rows } = await diffVersions(before, after, options);
    // Whether everybody who views satisfies what the condition became.
    const unless = { match: { expr: pair[1].conditions[0] ?? '' } };
    const variables = { local: family.variables(new Random(1)) };
    const statement = { name: 'views', never: { resource: 'doc', actions: ['view'], unless } };
    const document = {
      invariants: { name: 'all', variables, constants: { local: family.constants }, statements: [statement] },
    };
    const { invariants } = compileTexts(
      {
        ...(texts[0] ?? {}),
        'invariants.json': JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document }),
      },
      SCHEMAS,
    );
    const [verified] = (await verifyStatements(before, invariants, options)).statements;
    count(`statement ${verified?.answer}`);
    for (const { verdict } of rows) count(verdict);
    for (const row of rows)
      for (const own of [row.widened, row.narrowed])
        assert.not(own.answer === '?' && own.reason === 'proof refuted', `seed ${seed}`);
    const clock = () => ({ seconds: 1_735_689_600, nanos: 0, offset: 0 });
    const engines = await Promise.all(
      versions.map(async ({ compiled }) => createEngine(await compiled(), { ...engine, clock })),
    );
    const excused = textsOf({ conditions: [unless.match.expr, 'false', 'false'], principals: [] }, family);
    const anyRole = Object.entries(excused).map(([path, text]) => [path, text.replace('["user"]', '["*"]')] as const);
    const excuses = createEngine(await programVersion(Object.fromEntries(anyRole), SCHEMAS).compiled(), { clock });
    for (let number = 0; number < REQUESTS; number += 1) {
      const principal = {
        id: random.pick(IDS),
        roles: random.some(ROLES, 1, 2),
        attr: jsonOf(family.principal(random)),
      };
      const resource = { kind: 'doc', id: 'd', attr: jsonOf(family.row(random)) };
      for (const action of ACTIONS) {
        const request = { principal, resource, action };
        const [was, is] = engines.map((own) => own.isAllowed(request));
        const shown = (): string => `seed ${seed}, ${JSON.stringify([engine, pair, request])}`;
        if (action === 'view' && was === true && verified?.answer === 'proved')
          assert.ok(excuses.isAllowed(request), `a statement: ${shown()}`);
        if (was === is) continue;
        count('differences');
        const row = rows.find(
          (own) =>
            own.action === action &&
            (own.principal === null
              ? !rows.some((each) => each.principal?.id === principal.id)
              : own.principal.id === principal.id && own.principal.scope === ''),
        );
        const answer = is === true ? row?.widened : row?.narrowed;
        // Enforced schemas limit what rows are about.
        if (engine.schemaEnforcement === 'reject' && row === undefined) continue;
        assert.is.not(answer?.answer ?? 'no', 'no', `${row?.verdict}: ${shown()}`);
      }
    }
  }
  console.log(JSON.stringify(counts));
  assert.ok((counts['unchanged'] ?? 0) > 0 && (counts['differences'] ?? 0) > 0, JSON.stringify(counts));
});

test.run();

/** As requests have it. */
function jsonOf(attributes: Attributes): Attributes {
  return JSON.parse(JSON.stringify(attributes)) as Attributes;
}
