import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type EngineOptions } from '../../runtime/engine/index.js';
import { sanitize } from '../../runtime/policy/index.js';
import { ready } from '../support/analysis/program-version.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffOptions } from '../../packages/analysis/diff/options.js';
import type { DiffReport, DiffRow } from '../../packages/analysis/diff/report.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { parseInstant } from '../../packages/analysis/witness/replay.js';
import { chooseProver } from '../../packages/cli/policies/solver.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { emit } from '../../compiler/emit/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold, optimise } from '../../compiler/optimise/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random stores, and of requests for each mutant; SEED is the first seed. */
const STORES = 3;
const REQUESTS = rounds(1000, 500);
const MUTANTS = 2;

const test = suite('diff');

const VIEW = { name: 'view', actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] };

test('the order of two values is known without a solver', async () => {
  const [a, b] = ['R.attr.a', 'P.attr.b'];
  for (const [narrow, wide] of [
    [`${a} < ${b}`, `${a} <= ${b}`],
    [`${b} > ${a}`, `${a} <= ${b}`],
    [`${a} > ${b}`, `${b} <= ${a}`],
    [`!(${a} <= ${b})`, `!(${a} < ${b})`],
    [`${a} < ${b}`, `${a} != ${b}`],
    [`${b} < ${a}`, `${a} != ${b}`],
    [`${a} < ${b}`, `!(${a} > ${b})`],
  ] as const) {
    assert.match((await verdicts(narrow, wide))[1] ?? '', /^view widened search bdd$/, `${narrow} -> ${wide}`);
    assert.match((await verdicts(wide, narrow))[1] ?? '', /^view narrowed bdd search$/, `${wide} -> ${narrow}`);
  }
  assert.match((await verdicts(`${a} < ${b} && ${b} < ${a}`, 'false'))[1] ?? '', /^view unchanged /);
  assert.match((await verdicts(`${a} == ${b} && ${a} < ${b}`, 'false'))[1] ?? '', /^view unchanged /);
});

test('each verdict', async () => {
  assert.equal(await verdicts('R.attr.a == 1', 'R.attr.a == 1'), [
    'something unchanged same same',
    'view unchanged same same',
  ]);
  assert.equal(await verdicts('R.attr.a && R.attr.b', 'R.attr.b && R.attr.a'), [
    'something unchanged same same',
    'view unchanged bdd bdd',
  ]);
  assert.equal(await verdicts('R.attr.a == 1', 'R.attr.a == 1 || R.attr.b == 2'), [
    'something unchanged same same',
    'view widened search bdd',
  ]);
  assert.equal(await verdicts('R.attr.a == "x" || R.attr.b', 'R.attr.a == "x"'), [
    'something unchanged same same',
    'view narrowed bdd search',
  ]);
  assert.equal(await verdicts('R.attr.a == "x"', 'R.attr.a == "y"'), [
    'something unchanged same same',
    'view mixed search search',
  ]);
  // An equivalence of numbers, which needs a solver.
  assert.equal(await verdicts('R.attr.a < 2 && R.attr.a < 3', 'R.attr.a < 2'), [
    'something unchanged same same',
    'view not narrowed no solver bdd',
  ]);
});

test('each kind is announced before it is compared', async () => {
  const policy = (resource: string): object => ({ resourcePolicy: { resource, version: 'default', rules: [VIEW] } });
  const policies: Files = { 'a.yaml': policy('a'), 'b.yaml': policy('b') };
  const steps: string[] = [];
  await diffOf(policies, policies, { onStep: (done, all) => steps.push(`${done} of ${all}`) });
  assert.equal(steps, ['1 of 2', '2 of 2']);
});

test('a witness is a small request, with what decides it and why', async () => {
  const { rows } = await diffOf(
    one({
      rules: [{ ...VIEW, condition: { match: { expr: 'R.attr.visibility == "friends" && P.id in R.attr.friends' } } }],
    }),
    one({
      rules: [
        {
          ...VIEW,
          condition: { match: { expr: 'R.attr.visibility in ["friends", "family"] && P.id in R.attr.friends' } },
        },
      ],
    }),
  );
  const row = rows.find(({ action }) => action === 'view') as DiffRow;
  assert.is(row.verdict, 'widened');
  assert.equal(row.roles, ['user']);
  assert.not(row.combined);
  assert.equal(row.narrowed, { answer: 'no', by: 'bdd' });
  assert.ok(row.widened.answer === 'yes');
  assert.equal(row.widened.request, {
    principal: { id: 'alice', roles: ['user'], attr: {} },
    resource: { kind: 'doc', id: 'r1', attr: { friends: ['alice'], visibility: 'family' } },
    action: 'view',
    auxData: { jwt: {} },
    globals: {},
    now: '2025-01-01T00:00:00Z',
  });
  assert.is(row.widened.decidedBy.before, null);
  assert.is(row.widened.decidedBy.after?.rule, 'resource.doc.vdefault#view');
  assert.equal(
    row.causes.map(({ side, rule, condition }) => ({ side, rule, condition })),
    [
      {
        side: 'both',
        rule: 'resource.doc.vdefault#view',
        condition: {
          before: 'R.attr.visibility == "friends" && P.id in R.attr.friends',
          after: 'R.attr.visibility in ["friends", "family"] && P.id in R.attr.friends',
        },
      },
    ],
  );
});

test('roles that a principal needs together', async () => {
  const rule = (expr: string): object => ({ ...VIEW, roles: ['a'], condition: { match: { expr } } });
  const { rows } = await diffOf(one({ rules: [rule('false')] }), one({ rules: [rule('"b" in P.roles')] }));
  const row = rows.find(({ action }) => action === 'view') as DiffRow;
  assert.is(row.verdict, 'widened');
  assert.ok(row.combined);
  assert.equal(row.roles, []);
  assert.ok(row.widened.answer === 'yes');
  assert.equal(row.widened.request.principal.roles, ['a', 'b']);
});

test('rules that share results are not decided, unless nothing changed', async () => {
  const rules = (expr: string): readonly object[] => [
    { ...VIEW, name: 'rule-002', condition: { match: { expr } } },
    { ...VIEW, name: undefined, condition: { match: { expr: 'R.attr.b' } } },
  ];
  const { rows } = await diffOf(one({ rules: rules('R.attr.a') }), one({ rules: rules('R.attr.c') }));
  for (const { widened } of rows) assert.is(widened.answer === '?' && widened.reason, 'rules share results');
});

test('a condition of a derived role that another condition reads by its name', async () => {
  const policies = (expr: string): Files => ({
    ...one({
      importDerivedRoles: ['roles'],
      rules: [
        {
          ...VIEW,
          condition: { match: { expr: 'runtime.effectiveDerivedRoles.exists(role, role.startsWith("own"))' } },
        },
        {
          ...VIEW,
          name: 'edit',
          actions: ['edit'],
          condition: { match: { expr: '"owner" in runtime.effectiveDerivedRoles' } },
        },
        { ...VIEW, name: 'own', actions: ['own'], roles: undefined, derivedRoles: ['owner'] },
      ],
    }),
    'roles.yaml': {
      derivedRoles: {
        name: 'roles',
        definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: { expr } } }],
      },
    },
  });
  const { rows } = await diffOf(
    policies('R.attr.owner == P.id'),
    policies('R.attr.owner == P.id || R.attr.open == true'),
  );
  const changed = rows.filter(({ verdict }) => verdict !== 'unchanged');
  assert.equal(
    changed.map(({ action, widened, narrowed }) => [action, widened.answer, narrowed.answer]),
    [
      ['edit', 'yes', 'no'],
      ['own', 'yes', 'no'],
      ['view', 'yes', '?'],
    ],
  );
});

test('a variable that fails reads as null in a list of derived roles, and fails in a rule', async () => {
  const condition = { match: { expr: 'V.x == null' } };
  const policies = (rule: object): Files => ({
    ...one({
      importDerivedRoles: ['roles'],
      rules: [
        { ...VIEW, roles: undefined, ...rule },
        { ...VIEW, name: 'own', actions: ['own'], roles: undefined, derivedRoles: ['blank'] },
      ],
    }),
    'roles.yaml': {
      derivedRoles: {
        name: 'roles',
        variables: { local: { x: 'R.attr.a' } },
        definitions: [{ name: 'blank', parentRoles: ['user'], condition }],
      },
    },
  });
  const held = policies({ derivedRoles: ['blank'] });
  const listed = policies({
    roles: ['user'],
    condition: { match: { expr: '"blank" in runtime.effectiveDerivedRoles' } },
  });
  const prover = chooseProver({ effort: 3 });
  for (const options of [{}, { prover }]) {
    const { rows } = await diffOf(held, listed, options);
    const row = rows.find(({ action }) => action === 'view') as DiffRow;
    assert.ok(row.widened.answer === 'yes', JSON.stringify(row.widened));
    assert.equal(row.widened.request.resource.attr, {});
  }
});

test('the roles of a derived role that conditions see are those of the whole principal', async () => {
  const policies = (parent: string): Files => ({
    ...one({
      importDerivedRoles: ['roles'],
      rules: [
        { ...VIEW, condition: { match: { expr: '"known" in runtime.effectiveDerivedRoles' } } },
        { ...VIEW, name: 'own', actions: ['own'], roles: undefined, derivedRoles: ['known'] },
      ],
    }),
    'roles.yaml': { derivedRoles: { name: 'roles', definitions: [{ name: 'known', parentRoles: [parent] }] } },
  });
  const { rows } = await diffOf(policies('nobody'), policies('member'));
  const row = rows.find(({ action }) => action === 'view') as DiffRow;
  assert.ok(row.widened.answer === 'yes' && row.combined);
  assert.equal(row.widened.request.principal.roles, ['member', 'user']);
});

test('a role that only role policies name', async () => {
  const policies = (allowActions: readonly string[]): Files => ({
    ...one({ rules: [{ ...VIEW, actions: ['view', 'edit'] }] }),
    'clerk.yaml': {
      rolePolicy: { role: 'clerk', scope: '', parentRoles: ['user'], rules: [{ resource: 'doc', allowActions }] },
    },
  });
  const { rows } = await diffOf(policies(['view']), policies(['view', 'edit']));
  assert.equal(
    rows.filter(({ verdict }) => verdict !== 'unchanged').map(({ action, verdict, roles }) => [action, verdict, roles]),
    [['edit', 'widened', ['clerk']]],
  );
});

test('what is not looked at in time is undecided, and the rest is complete', async () => {
  const policies = (expr: string): Files => one({ rules: [{ ...VIEW, condition: { match: { expr } } }] });
  const report = await diffOf(policies('R.attr.a'), policies('R.attr.b'), { isOver: () => 'interrupted' });
  assert.equal(
    report.rows.map(({ action, widened }) => [action, widened.answer === '?' ? widened.reason : widened.by]),
    [
      ['something', 'same'],
      ['view', 'time'],
    ],
  );
  assert.is(report.limits.interrupted, true);
});

test('with enforced schemas, only requests that satisfy both are looked at', async () => {
  const schemas = new Map([
    ['doc.json', '{"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}}}'],
  ]);
  const policies = (expr: string): Files =>
    one({
      schemas: { resourceSchema: { ref: 'authz:///doc.json' } },
      rules: [{ ...VIEW, condition: { match: { expr } } }],
    });
  const [old, new_] = [policies('R.attr.kind == "a"'), policies('R.attr.kind == "a" || R.attr.kind == "c"')];
  const view = async (options: DiffOptions): Promise<DiffRow> => {
    const { rows } = await diffVersions(await emitted(old, schemas), await emitted(new_, schemas), options);
    return rows.find(({ action }) => action === 'view') as DiffRow;
  };
  assert.is((await view({})).widened.answer, 'yes');
  assert.is((await view({ engine: { schemaEnforcement: 'reject' } })).widened.answer, '?');
});

test('a principal with policies has rows of its own', async () => {
  const principalPolicy = (action: string): object => ({
    principalPolicy: {
      principal: 'eve',
      version: 'default',
      rules: [{ resource: 'doc', actions: [{ action, effect: 'EFFECT_DENY' }] }],
    },
  });
  const { rows } = await diffOf(
    { ...one({ rules: [VIEW] }), 'eve.yaml': principalPolicy('edit') },
    { ...one({ rules: [VIEW] }), 'eve.yaml': principalPolicy('view') },
  );
  const changed = rows.filter(({ verdict }) => verdict !== 'unchanged');
  assert.equal(
    changed.map(({ principal, action, verdict }) => [principal?.id, action, verdict]),
    [['eve', 'view', 'narrowed']],
  );
  assert.ok(rows.some(({ principal, action }) => principal === null && action === 'view'));
});

test('a comparison fails if the globs of kinds distinguish too many kinds', async () => {
  const kinds = Array.from({ length: 16 }, (_, index) => `*${'abcdefghijklmnop'[index]}*${'ponmlkjihgfedcba'[index]}*`);
  const eve = (globs: readonly string[]): Files => ({
    'eve.yaml': {
      principalPolicy: {
        principal: 'eve',
        version: 'default',
        rules: globs.map((resource) => ({ resource, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })),
      },
    },
  });
  try {
    await diffOf(eve(kinds), eve(kinds.slice(1)));
    assert.unreachable('kinds without a row would count as unchanged');
  } catch (error) {
    assert.is((error as Error).message, 'too many globs of kinds in principal and role policies');
  }
  // Kinds that are not sanitized are in the classes of such globs.
  for (const kind of ['doc:*', '*:doc', 'a b*']) {
    const { rows } = await diffOf(eve([kind]), eve([]));
    assert.ok(
      rows.some(({ verdict, named }) => verdict === 'narrowed' && named),
      `${kind}: ${JSON.stringify(rows)}`,
    );
  }
});

test('what conditions compare with active derived roles is searched', async () => {
  const roles = {
    'roles.yaml': { derivedRoles: { name: 'roles', definitions: [{ name: 'reviewer', parentRoles: ['user'] }] } },
  };
  const policy = (expr: string): Files => ({
    ...roles,
    ...one({
      importDerivedRoles: ['roles'],
      rules: [
        { ...VIEW, condition: { match: { expr } } },
        { actions: ['edit'], effect: 'EFFECT_ALLOW', derivedRoles: ['reviewer'] },
      ],
    }),
  });
  const sought = 'R.attr.reader in runtime.effectiveDerivedRoles';
  const { rows } = await diffOf(policy('false'), policy(sought));
  const [row] = rows.filter(({ action }) => action === 'view');
  assert.is(row?.verdict, 'widened', JSON.stringify(rows));
  assert.equal(row?.widened.answer === 'yes' && row.widened.request.resource.attr, { reader: 'reviewer' });
});

test('outputs and schemas that changed are listed, not compared', async () => {
  const rule = (text: string): object => ({ ...VIEW, output: { when: { ruleActivated: `"${text}"` } } });
  const report = await diffOf(one({ rules: [rule('a')] }), one({ rules: [rule('b')] }));
  assert.is(report.summary.unchanged, report.summary.rows);
  assert.equal(report.alsoChanged, [{ what: 'output', rule: 'resource.doc.vdefault#view' }]);
});

test('an empty set of policies allows nothing', async () => {
  const report = await diffOf({}, one({ rules: [VIEW] }));
  assert.equal(
    report.rows.map(({ action, verdict }) => `${action} ${verdict}`),
    ['something unchanged', 'view widened'],
  );
});

test('constants that divide otherwise are not the same', async () => {
  const policies = (zero: string): { readonly [path: string]: string } => ({
    'doc.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  {resource: doc, version: default, constants: {local: {zero: ${zero}}}, rules: [{actions: [view], effect: EFFECT_ALLOW,
    roles: [user], condition: {match: {expr: "R.attr.a / C.zero${zero.startsWith('[') ? '[0]' : ''} > 1.0"}}}]}
`,
  });
  for (const [before, after] of [
    ['0.0', '-0.0'],
    ['[0.0]', '[-0.0]'],
  ] as const) {
    const { rows } = await diffVersions(versionOf(policies(before)), versionOf(policies(after)));
    assert.is.not(rows.find(({ action }) => action === 'view')?.verdict, 'unchanged', before);
  }
});

test('kinds, actions and scopes narrow what is looked at', async () => {
  const [old, new_] = [one({ rules: [VIEW] }), one({ rules: [{ ...VIEW, actions: ['view', 'edit'] }] })];
  const report = await diffOf(old, new_, { action: 'ed*' });
  assert.equal(
    report.rows.map(({ action, verdict }) => `${action} ${verdict}`),
    ['edit widened', 'edx unchanged'],
  );
  assert.is(report.limits.action, 'ed*');
});

test('the order of files and rules makes no difference, and neither does a second run', async () => {
  for (let seed = SEED; seed < SEED + 1; seed += 1) {
    const random = new Random(seed);
    const texts = policyFiles(randomStore(random, { outputs: false, runtime: true }));
    const others = policyFiles(randomStore(random, { outputs: false, runtime: true }));
    const report = await diffVersions(versionOf(texts), versionOf(others));
    const reversed = (files: object): typeof texts => Object.fromEntries(Object.entries(files).reverse());
    const again = await diffVersions(versionOf(reversed(texts)), versionOf(reversed(others)));
    assert.is(JSON.stringify(again), JSON.stringify(report), `seed ${seed}`);
  }
});

test('random stores and mutants: no random request is against a proof, and each request shown is decided so by emitted code', async () => {
  const seen = { no: 0, yes: 0, undecided: 0, differences: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const texts = policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.5) }));
    const sources = Object.entries(texts).map(([path, text]) => new Source(path, text));
    const compilation = compile(sources);
    const lowered = compilation.lowered as Program;
    const original = (await loaded(compilation)).policies;
    const options: EngineOptions = {
      defaultScope: random.pick(['', '', 'a']),
      lenientScopeSearch: random.chance(0.4),
    };
    const old = programVersion(lowered);
    for (const mutant of selected(listMutants(lowered), { count: MUTANTS, seed })) {
      const new_ = programVersion(mutant.program());
      const report = await diffVersions(old, new_, { engine: options });
      const detail = `seed ${seed}: ${mutant.operator} ${mutant.before} -> ${mutant.after}`;
      const [before, after] = (await Promise.all(
        [old, new_].map(async ({ compiled }) => createEngine(await compiled(), options)),
      )) as [Engine, Engine];
      for (let i = 0; i < REQUESTS; i += 1) {
        const { principal, resource, actions } = randomRequest(random);
        for (const action of actions) {
          const request = { principal, resource, action };
          const [was, is] = [before.isAllowed(request), after.isAllowed(request)];
          if (was === is) continue;
          seen.differences += 1;
          const answers = rowsAbout(report, request, options).map((row) => (is ? row.widened : row.narrowed).answer);
          assert.ok(
            answers.some((answer) => answer !== 'no'),
            `${detail}: ${JSON.stringify(request)} ${was} -> ${is}, ${answers.join()}`,
          );
        }
      }
      const { program } = new_;
      const mutated = await loaded({ ...compilation, program, files: emit(program, sources, 'test') });
      for (const { widened, narrowed } of report.rows)
        for (const answer of [widened, narrowed]) {
          seen[answer.answer === '?' ? 'undecided' : answer.answer] += 1;
          if (answer.answer !== 'yes') continue;
          const { principal, resource, action } = answer.request;
          const clocked = { ...options, clock: () => parseInstant(answer.request.now) };
          const effects = [original, mutated.policies].map((compiled) =>
            createEngine(compiled, clocked).isAllowed({ principal, resource, action }),
          );
          assert.equal(effects, [answer.before === 'EFFECT_ALLOW', answer.after === 'EFFECT_ALLOW'], detail);
        }
    }
  }
  assert.ok(seen.differences > 0 && seen.yes >= STORES, JSON.stringify(seen));
  assert.ok(seen.undecided <= (seen.no + seen.yes) / 10, JSON.stringify(seen));
});

test.run();

type Files = { readonly [path: string]: object };

/** One policy of documents. */
function one(policy: object): Files {
  return { 'doc.yaml': { resourcePolicy: { resource: 'doc', version: 'default', ...policy } } };
}

async function verdicts(before: string, after: string): Promise<readonly string[]> {
  const policy = (expr: string): Files => one({ rules: [{ ...VIEW, condition: { match: { expr } } }] });
  const { rows } = await diffOf(policy(before), policy(after));
  const text = (answer: DiffRow['widened']): string => (answer.answer === '?' ? answer.reason : answer.by);
  return rows.map(
    ({ action, verdict, widened, narrowed }) => `${action} ${verdict} ${text(widened)} ${text(narrowed)}`,
  );
}

async function diffOf(old: Files, new_: Files, options: DiffOptions = {}): Promise<DiffReport> {
  return diffVersions(await emitted(old), await emitted(new_), options);
}

function textsOf(files: Files): { readonly [path: string]: string } {
  return Object.fromEntries(
    Object.entries(files).map(([path, document]) => [
      path,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document }),
    ]),
  );
}

/** Policies that are decided by emitted code. */
async function emitted(files: Files, schemaTexts: ReadonlyMap<string, string> = new Map()): Promise<PolicyVersion> {
  const sources = Object.entries(textsOf(files)).map(([path, text]) => new Source(path, text));
  const compilation = compile(sources, undefined, { schemaTexts });
  const { policies } = await loaded(compilation);
  const { program, lowered } = compilation;
  return { source: 'policies', program: program as Program, lowered: lowered as Program, ...ready(policies) };
}

/** Policies that are decided from their program, as emitted code does (tests/analysis/program.test.ts). */
function versionOf(texts: { readonly [path: string]: string }): PolicyVersion {
  return programVersion(compileTexts(texts).lowered as Program);
}

function programVersion(lowered: Program): PolicyVersion {
  const program = optimise(fold(lowered));
  return { source: 'policies', program, lowered, ...ready(makeBundle(program).bundle) };
}

/** The rows that a request may be in: of actions that no policy names, any. */
function rowsAbout(
  { rows }: DiffReport,
  { principal, resource, action }: Parameters<Engine['isAllowed']>[0],
  { defaultScope = '' }: EngineOptions,
): readonly DiffRow[] {
  const scopeOf = (scope: string | undefined): string => (scope || defaultScope).replace(/^\./, '');
  const isAt = (scope: string, all: readonly string[]): ((row: string) => boolean) =>
    all.includes(scope) ? (row) => row === scope : (row) => /(below|elsewhere)/.test(row);
  const atResource = isAt(
    scopeOf(resource.scope),
    rows.map(({ scope }) => scope),
  );
  const atPrincipal = isAt(
    scopeOf(principal.scope),
    rows.flatMap((row) => (row.principal === null ? [] : [row.principal.scope])),
  );
  const found = rows.filter(
    (row) =>
      row.kind === sanitize(resource.kind) &&
      row.version === (resource.policyVersion || 'default') &&
      atResource(row.scope) &&
      (row.action === action || !row.named),
  );
  const own = found.filter((row) => row.principal?.id === principal.id && atPrincipal(row.principal.scope));
  const named = (candidates: readonly DiffRow[]): readonly DiffRow[] => {
    const exact = candidates.filter((row) => row.action === action);
    return exact.length > 0 ? exact : candidates;
  };
  return own.length > 0 ? named(own) : named(found.filter((row) => row.principal === null));
}
