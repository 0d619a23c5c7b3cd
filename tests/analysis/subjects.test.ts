import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';
import { fold } from '../../compiler/optimise/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import {
  createEngine,
  delegation,
  type Engine,
  type EngineOptions,
  type EnginePart,
  type SubjectPlan,
  type SubjectPlanRequest,
} from '../../runtime/engine/index.js';
import { filterText } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { SEED, rounds } from '../support/effort.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';

const test = suite('plans of subjects');

const INVOICES = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  rules:
    - name: accountants
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [accountant]
      condition: { match: { expr: P.attr.tenant == R.attr.tenant } }
    - name: paid
      actions: [edit]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: R.attr.status == "paid" } }
    - name: leaving
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: timestamp(P.attr.leaves) < now() } }
    - name: guests
      actions: [list]
      effect: EFFECT_ALLOW
      roles: ["guest:*"]
      condition: { match: { expr: timestamp(R.attr.until) > now() && "billing" in request.auxData.jwt.aud } }
`;

const INVOICE = { kind: 'invoice', id: 'i1', attr: { tenant: 'acme', status: 'open', until: '2025-06-01T00:00:00Z' } };
const CLOCK = (): { seconds: number; nanos: number; offset: number } => ({
  seconds: Date.UTC(2025, 0, 31) / 1000,
  nanos: 0,
  offset: 0,
});

test('what the resource decides is decided, and what remains is about the principal', async () => {
  const engine = await engineOf({ 'invoice.yaml': INVOICES });
  const left = (action: string, more: Partial<SubjectPlanRequest> = {}): string =>
    textOf(engine.planSubjects({ resource: INVOICE, action, ...more }));
  const notLeaving = '(unless (lt (timestamp request.principal.attr.leaves) (timestamp "2025-01-31T00:00:00Z")))';
  assert.is(
    left('view'),
    `(and ${notLeaving} (in "accountant" request.principal.roles) (eq request.principal.attr.tenant "acme"))`,
  );
  assert.is(left('edit', { resource: { ...INVOICE, attr: { tenant: 'acme', status: 'paid' } } }), 'nobody');
  assert.is(left('list'), 'nobody');
  const auxData = { jwt: { aud: ['billing'] } };
  const guests = left('list', { auxData });
  assert.match(guests, /\(exists request\.principal\.roles \(lambda \(and \(startsWith role "guest:"\)/);
  const later = { ...INVOICE, attr: { ...INVOICE.attr, until: '2025-01-31T00:00:00Z' } };
  assert.is(left('list', { auxData, resource: later }), 'nobody');
});

test('actors are known: where one of them may not, nobody may', async () => {
  const engine = await engineOf({ 'invoice.yaml': INVOICES }, { use: [delegation()] });
  const robot = { id: 'robot', roles: ['accountant'], attr: { tenant: 'acme' } };
  const view = { resource: INVOICE, action: 'view' };
  const through = (...actors: SubjectPlanRequest['actors'] & object): string =>
    textOf(engine.planSubjects({ ...view, actors }));
  assert.is(through(robot), textOf(engine.planSubjects(view)));
  assert.is(through(robot, { ...robot, attr: { tenant: 'other' } }), 'nobody');
});

test('what no filter says is refused, with the rule and its line', async () => {
  const text = INVOICES.replace('P.attr.tenant == R.attr.tenant', 'P == P');
  const engine = await engineOf({ 'invoice.yaml': text });
  const plan = engine.planSubjects({ resource: INVOICE, action: 'view' });
  assert.equal(plan, {
    kind: 'refused',
    problems: [
      {
        operator: 'policy',
        reason: 'principal as a whole',
        part: '',
        policy: 'resource.invoice.vdefault',
        rule: 'accountants',
        place: 'invoice.yaml:11',
      },
    ],
  });
  const globs = await engineOf({ 'invoice.yaml': INVOICES.replace('guest:*', 'guest:*:*') });
  assert.is(globs.planSubjects({ resource: INVOICE, action: 'view' }).kind, 'planned');
  const auxData = { jwt: { aud: ['billing'] } };
  const refused = globs.planSubjects({ resource: INVOICE, action: 'list', auxData });
  assert.match(refused.kind === 'refused' ? (refused.problems[0]?.reason ?? '') : '', /guest:\*:\*.*more than one/);
});

test('rules that share a result are planned, unless the order of roles says whose result it is', async () => {
  const shared = (first: string, second: string): string => `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  rules:
    - name: rule-002
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [${first}]
      condition: { match: { expr: P.attr.tenant == R.attr.tenant } }
    - actions: [view, list]
      effect: EFFECT_ALLOW
      roles: [${second}]
`;
  const view = { resource: INVOICE, action: 'view' };
  const decided = (engine: Engine, ...roles: readonly string[]): boolean =>
    engine.isAllowed({ ...view, principal: { id: 'ann', roles, attr: { tenant: 'other' } } });
  // Whoever asks for the second rule has asked for the first one, whose result counts.
  const nested = await engineOf({ 'invoice.yaml': shared('clerk, boss', 'boss') });
  assert.is(
    textOf(nested.planSubjects(view)),
    '(and (or (in "boss" request.principal.roles) (in "clerk" request.principal.roles)) (eq request.principal.attr.tenant "acme"))',
  );
  assert.not.ok(decided(nested, 'boss') || decided(nested, 'clerk', 'boss') || decided(nested, 'boss', 'clerk'));
  const apart = await engineOf({ 'invoice.yaml': shared('clerk', 'boss') });
  assert.ok(decided(apart, 'boss', 'clerk') && !decided(apart, 'clerk', 'boss'), 'the order decides');
  const refused = apart.planSubjects(view);
  assert.match(JSON.stringify(refused), /order of roles.*invoice\.yaml:12/);
  // Only one of them is about this action.
  assert.is(textOf(apart.planSubjects({ ...view, action: 'list' })), '(in "boss" request.principal.roles)');
});

test('strict evaluation is refused', async () => {
  const compilation = compileTexts({ 'invoice.yaml': INVOICES });
  const { policies, traced } = await loaded(compilation);
  const use = [subjectPlans(fold(compilation.lowered as Program))];
  const engine = createEngine(policies, { strictEvaluation: true, traced: await traced(), use });
  const plan = engine.planSubjects({ resource: INVOICE, action: 'view' });
  assert.match(plan.kind === 'refused' ? (plan.problems[0]?.reason ?? '') : '', /strict evaluation/);
});

test('a request that check refuses is refused', async () => {
  const engine = await engineOf({ 'invoice.yaml': INVOICES });
  assert.throws(() => engine.planSubjects({ resource: { kind: 'invoice', id: '' }, action: 'view' }), /empty/);
  assert.throws(() => engine.planSubjects({ resource: INVOICE, action: '' }), /empty/);
  const plain = createEngine((await loaded(compileTexts({ 'invoice.yaml': INVOICES }))).policies);
  assert.throws(() => plain.planSubjects({ resource: INVOICE, action: 'view' }), /subjects\(\)/);
});

test('where schemas are enforced, a resource that violates its own is nobody’s, and principals satisfy theirs', async () => {
  const schemas = new Map([
    [
      'principal.json',
      JSON.stringify({
        type: 'object',
        required: ['tenant'],
        properties: { tenant: { type: 'string' }, level: { minimum: 3 } },
      }),
    ],
    ['resource.json', JSON.stringify({ type: 'object', properties: { status: { enum: ['open', 'paid'] } } })],
  ]);
  const text = INVOICES.replace(
    '  rules:',
    '  schemas:\n    principalSchema: { ref: "authz:///principal.json" }\n    resourceSchema: { ref: "authz:///resource.json" }\n  rules:',
  );
  const engine = await engineOf({ 'invoice.yaml': text }, { schemaEnforcement: 'reject' }, schemas);
  const plan = (status: string): string =>
    textOf(engine.planSubjects({ resource: { ...INVOICE, attr: { ...INVOICE.attr, status } }, action: 'view' }));
  assert.match(plan('open'), /request\.principal\.attr\.level/);
  assert.not.match(plan('open'), /request\.resource/);
  assert.is(plan('lost'), 'nobody');
});

test('a bundle that explains plans as its program does', async () => {
  for (let seed = SEED; seed < SEED + rounds(5); seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const sources = Object.entries(policyFiles(documents)).map(([path, text]) => new Source(path, text));
    const { files, lowered } = compile(sources, undefined, { explain: true });
    const { policies, subjects } = (await importBundle((await bundle(files, runtimeFolder())).js)) as unknown as {
      readonly policies: Parameters<typeof createEngine>[0];
      readonly subjects: () => Promise<EnginePart>;
    };
    const [own, other] = [
      createEngine(policies, { use: [await subjects()] }),
      createEngine(policies, { use: [subjectPlans(fold(lowered as Program))] }),
    ];
    for (let i = 0; i < 30; i += 1) {
      const { resource, actions } = randomRequest(random);
      const request = { resource, action: actions[0] ?? 'view' };
      assert.is(textOf(own.planSubjects(request)), textOf(other.planSubjects(request)), `seed ${seed}, request ${i}`);
    }
  }
});

test.run();

async function engineOf(
  texts: { readonly [path: string]: string },
  options: EngineOptions = {},
  schemaTexts?: ReadonlyMap<string, string>,
): Promise<Engine> {
  const compilation = compileTexts(texts, { ...(schemaTexts !== undefined && { schemaTexts }) });
  const { policies } = await loaded(compilation);
  const use = [...(options.use ?? []), subjectPlans(fold(compilation.lowered as Program))];
  return createEngine(policies, { clock: CLOCK, ...options, use });
}

function textOf(plan: SubjectPlan): string {
  if (plan.kind === 'refused') return plan.problems.map(({ reason }) => reason).join();
  const { kind } = plan.filter;
  return kind === 'KIND_CONDITIONAL'
    ? filterText(plan.filter)
    : kind === 'KIND_ALWAYS_ALLOWED'
      ? 'everybody'
      : 'nobody';
}
