import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { type Filter, selects } from '../../runtime/residual/index.js';
import { renderSql } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { NOW, policyOf } from '../support/plan/one-condition.js';
import { Random } from '../support/oracle/random.js';

/** A filter compares the branches of `? :`, so it repeats what they are compared with: within limits. */
const test = suite('plans of choices in choices');

/** Conditions of any depth, each of which contains the one before. */
const NESTED: { readonly [name: string]: (depth: number) => string } = {
  'a choice in the test': nested((inner, n) => `(${inner} ? R.attr.a${n} : R.attr.b${n})`),
  'a choice in a branch': nested((inner, n) => `(R.attr.a${n} ? ${inner} : R.attr.b${n})`),
  'a comparison in the test': nested((inner, n) => `((${inner}) ? R.attr.a${n} : R.attr.b${n}) == true`),
  'a comparison that is compared with a choice': nested(
    (inner, n) => `(${inner} == (R.attr.a${n} ? R.attr.b${n} : R.attr.c${n}))`,
  ),
  'the same the other way round': nested((inner, n) => `((R.attr.a${n} ? R.attr.b${n} : true) != ${inner})`),
  'a sum of choices': (depth) =>
    `${Array.from({ length: depth }, (_, n) => `(R.attr.a${n} ? 1.0 : 2.0)`).join(' + ')} > ${depth}.0`,
};

function nested(around: (inner: string, n: number) => string): (depth: number) => string {
  return (depth) => Array.from({ length: depth }).reduce<string>((inner, _, n) => around(inner, n), 'R.attr.t');
}

for (const [name, condition] of Object.entries(NESTED)) {
  test(`${name}: the filter grows with the condition`, async () => {
    const [small, large] = await Promise.all([20, 40].map(async (depth) => filterOf(await engineOf(condition(depth)))));
    const [before, after] = [JSON.stringify(small).length, JSON.stringify(large).length];
    assert.ok(after < 4 * before, `${before} to ${after}`);
  });

  test(`${name}: a translation has an end`, async () => {
    const filter = filterOf(await engineOf(condition(20)));
    const columns = Object.fromEntries(
      fieldsOf(20).map((field) => [field, { column: field, type: 'boolean' as const }]),
    );
    const sql = renderSql(filter, { name: 'rows', columns }, { dialect: 'postgresql' });
    if (sql.kind === 'refused') assert.match(sql.problems[0]?.reason ?? '', /too long|deep/);
    else assert.ok(sql.text.length < 10_000_000);
  });

  test(`${name}: the filter selects what check allows`, async () => {
    const random = new Random(7);
    for (const depth of [1, 2, 3, 5, 7, 9]) {
      const engine = await engineOf(condition(depth));
      const filter = filterOf(engine);
      let allowed = 0;
      for (let turn = 0; turn < 100; turn += 1) {
        const attr = Object.fromEntries(
          fieldsOf(depth).flatMap((field) =>
            random.chance(0.02) ? [] : [[field, random.chance(0.02) ? 'text' : random.chance(0.6)] as const],
          ),
        );
        const isAllowed = engine.isAllowed({
          principal: ANN,
          resource: { kind: 'nested', id: '1', attr },
          action: 'read',
        });
        if (isAllowed) allowed += 1;
        assert.is(selects(filter, { id: '1', attr, now: NOW }), isAllowed, `${depth}: ${JSON.stringify(attr)}`);
      }
      assert.ok(allowed > 0, `depth ${depth}`);
    }
  });
}

test.run();

const ANN = { id: 'ann', roles: ['user'], attr: {} };

/** The attributes of a condition, all of them booleans. */
function fieldsOf(depth: number): readonly string[] {
  return ['t', ...Array.from({ length: depth }, (_, n) => [`a${n}`, `b${n}`, `c${n}`]).flat()];
}

function filterOf(engine: Engine): Filter {
  return engine.plan({ principal: ANN, resource: { kind: 'nested', attr: {} }, actions: ['read'] }).filter;
}

async function engineOf(condition: string): Promise<Engine> {
  return createEngine((await loaded(compileTexts({ 'nested.yaml': policyOf('nested', condition) }))).policies);
}
