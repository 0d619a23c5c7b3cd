import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { type Filter, selects } from '../../runtime/residual/index.js';
import { renderSql } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { NOW, policyOf } from '../support/plan/one-condition.js';
import { Random } from '../support/oracle/random.js';

/** A filter compares the branches of `? :`, so it repeats what they are compared with: within limits. */
const test = suite('plans of choices in choices');

const ANN = { id: 'ann', roles: ['user'], attr: {} };

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

const DEPTHS = [1, 2, 3, 5, 7, 9, 20, 40];

/** A policy for each condition and depth. */
const { policies } = await loaded(
  compileTexts(
    Object.fromEntries(
      Object.values(NESTED).flatMap((condition, index) =>
        DEPTHS.map((depth) => {
          const kind = kindOf(index, depth);
          return [`${kind}.yaml`, policyOf(kind, condition(depth))];
        }),
      ),
    ),
  ),
);
const engine = createEngine(policies);

for (const [index, name] of Object.keys(NESTED).entries()) {
  test(`${name}: the filter grows with the condition`, () => {
    const [small, large] = [20, 40].map((depth) => filterOf(kindOf(index, depth)));
    const [before, after] = [JSON.stringify(small).length, JSON.stringify(large).length];
    assert.ok(after < 4 * before, `${before} to ${after}`);
  });

  test(`${name}: a translation has an end`, () => {
    const filter = filterOf(kindOf(index, 20));
    const columns = Object.fromEntries(
      fieldsOf(20).map((field) => [field, { column: field, type: 'boolean' as const }]),
    );
    const sql = renderSql(filter, { name: 'rows', columns }, { dialect: 'postgresql' });
    if (sql.kind === 'refused') assert.match(sql.problems[0]?.reason ?? '', /too long|deep/);
    else assert.ok(sql.text.length < 10_000_000);
  });

  test(`${name}: the filter selects what check allows`, () => {
    const random = new Random(7);
    for (const depth of DEPTHS.filter((own) => own < 10)) {
      const kind = kindOf(index, depth);
      const filter = filterOf(kind);
      let allowed = 0;
      for (let turn = 0; turn < 100; turn += 1) {
        const attr = Object.fromEntries(
          fieldsOf(depth).flatMap((field) =>
            random.chance(0.02) ? [] : [[field, random.chance(0.02) ? 'text' : random.chance(0.6)] as const],
          ),
        );
        const isAllowed = engine.isAllowed({
          principal: ANN,
          resource: { kind, id: '1', attr },
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

/** The attributes of a condition, all of them booleans. */
function fieldsOf(depth: number): readonly string[] {
  return ['t', ...Array.from({ length: depth }, (_, n) => [`a${n}`, `b${n}`, `c${n}`]).flat()];
}

function kindOf(index: number, depth: number): string {
  return `nested_${index}_${depth}`;
}

function filterOf(kind: string): Filter {
  return engine.plan({ principal: ANN, resource: { kind, attr: {} }, actions: ['read'] }).filter;
}
