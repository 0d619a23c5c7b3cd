import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkNarrowing, NothingMatches } from '../../packages/analysis/decision/narrowing.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffOptions } from '../../packages/analysis/diff/options.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { verifyStatements } from '../../packages/analysis/verify/verify.js';
import { compiledSet } from '../support/analysis/random-claims.js';

const test = suite('what is looked at');

const rule = (actions: readonly string[], roles: readonly string[], expr?: string): object => ({
  name: `by-${roles[0]}${actions.includes('sign') ? '-2' : ''}`,
  actions,
  effect: 'EFFECT_ALLOW',
  roles,
  ...(expr && { condition: { match: { expr } } }),
});

function setOf(rules: readonly object[], principal: readonly object[] = []) {
  const policy = (scope: string): object => ({
    resourcePolicy: { resource: 'leave-request', version: 'default', scope, rules },
  });
  const policies: Record<string, object> = { 'root.yaml': policy(''), 'acme.yaml': policy('acme') };
  if (principal.length > 0)
    policies['eve.yaml'] = { principalPolicy: { principal: 'eve', version: 'default', rules: principal } };
  const statements = [
    { name: 'one', never: { resource: 'leave-request', principal: { notRoles: ['user', 'admin'] } } },
  ];
  const set = compiledSet({ policies, schemas: {} }, { name: 'all', statements });
  if (set === undefined) throw new Error('it compiles');
  return set;
}

const OLD = setOf([rule(['view', 'approve'], ['user'], 'R.attr.n == 1'), rule(['*'], ['admin'])]);
const NEW = setOf([rule(['view', 'approve'], ['user'], 'R.attr.n == 2'), rule(['*'], ['admin'])]);

async function rowsOf(options: DiffOptions, [old, new_] = [OLD, NEW]): Promise<readonly string[]> {
  const { rows } = await diffVersions(old.version, new_.version, options);
  return rows.map(({ kind, scope, action, verdict }) => `${kind}/${scope} ${action} ${verdict}`);
}

test('kinds are found however they are spelt', async () => {
  const all = await rowsOf({});
  assert.is(all.length, 6);
  for (const kind of ['leave-request', 'leave_request', 'leave:request', 'leave-*', 'leave_*', '*-request', '*'])
    assert.equal(await rowsOf({ kind }), all, kind);
});

for (const [narrowing, message] of [
  [{ kind: 'leave-reqest' }, 'no policy covers kind `leave-reqest`: did you mean `leave-request`?'],
  [{ kind: 'levae-*' }, 'no policy covers kind `levae-*`: did you mean `leave-*`?'],
  [{ kind: 'invoice' }, 'no policy covers kind `invoice`; `authzc inspect` lists the names'],
  [{ kind: 'x*' }, 'no policy covers kind `x*`; `authzc inspect` lists the names'],
  [{ action: 'aprove' }, 'no policy covers action `aprove`: did you mean `approve`?'],
  [{ action: 'aprov*' }, 'no policy covers action `aprov*`: did you mean `appro*`?'],
  [{ action: 'x*' }, 'no policy covers action `x*`; `authzc inspect` lists the names'],
  [{ scope: 'acne' }, 'no policy has scope `acne`: did you mean `acme`?'],
  [{ scope: 'elsewhere' }, 'no policy has scope `elsewhere`; `authzc inspect` lists the names'],
] as const)
  test(`nothing matches ${JSON.stringify(narrowing)}`, async () => {
    for (const report of [
      () => diffVersions(OLD.version, NEW.version, narrowing),
      () => verifyStatements(NEW.version, NEW.invariants, narrowing),
      async () => checkNarrowing(narrowing, [NEW.version.lowered]),
    ])
      try {
        await report();
        assert.unreachable(message);
      } catch (error) {
        assert.instance(error, NothingMatches);
        assert.is((error as Error).message, message);
      }
  });

test('what only one of the sets has is known', async () => {
  const before = setOf([rule(['view'], ['user'])]);
  const after = setOf([rule(['view'], ['user']), rule(['sign'], ['user'])]);
  assert.equal(await rowsOf({ action: 'sign', scope: '' }, [before, after]), ['leave_request/ sign widened']);
  assert.equal(await rowsOf({ action: 'sign', scope: '' }, [after, before]), ['leave_request/ sign narrowed']);
});

test('names that only globs match have rows of their own', async () => {
  const before = setOf(
    [rule(['*'], ['admin'])],
    [{ resource: '*', actions: [{ action: 'v*', effect: 'EFFECT_ALLOW' }] }],
  );
  const after = setOf([rule(['*'], ['admin'], 'R.attr.n == 1')]);
  const scope = '';
  assert.equal(await rowsOf({ action: 'archive', scope, kind: 'leave-request' }, [before, after]), [
    // Everyone, and eve.
    'leave_request/ archive narrowed',
    'leave_request/ archive narrowed',
  ]);
  assert.equal(await rowsOf({ kind: 'invoice', scope }, [before, after]), [
    'invoice/ something unchanged',
    'invoice/ vx narrowed',
  ]);
});

test('under lenient search, any scope has policies', async () => {
  const engine = { lenientScopeSearch: true };
  assert.equal(await rowsOf({ engine, scope: 'acme.hr', action: 'view' }), ['leave_request/acme.hr view mixed']);
  assert.equal(await rowsOf({ engine, scope: 'foo', action: 'view' }), ['leave_request/foo view mixed']);
  try {
    await rowsOf({ engine, scope: 'acne' });
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'no policy has scope `acne`: did you mean `acme`?');
  }
});

test('rules that are not there are not mutated', () => {
  const mutants = listMutants(NEW.version.lowered);
  assert.ok(selected(mutants, { rule: 'by-user' }).length > 0);
  for (const [written, message] of [
    ['by-usre', 'no rule is `by-usre`: did you mean `by-user`?'],
    ['nothing*', 'no rule is `nothing*`'],
  ] as const)
    assert.throws(
      () => selected(mutants, { rule: written }),
      (error: Error) => error.message === message,
    );
});

test.run();
