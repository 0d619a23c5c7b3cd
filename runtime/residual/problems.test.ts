import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expression, type Operand } from './operand.js';
import { findProblems } from './problems.js';
import { Refusal } from './sql/refusal.js';

const test = suite('parts of a filter that cannot be translated');

test('an operand that a filter has in many places, and in its rules, is tried once and named once', () => {
  const leaf = expression('matches', { variable: 'request.resource.attr.x' }, { value: 'a' });
  let condition: Operand = leaf;
  for (let depth = 0; depth < 12; depth += 1) condition = expression('if', condition, condition, condition);
  const filter = { kind: 'KIND_CONDITIONAL', condition } as const;
  let attempts = 0;
  const problems = findProblems(filter, [{ policy: 'resource.a.vdefault', rule: 'one', filter }], () => {
    attempts += 1;
    return new Refusal('matches', 'cannot be translated exactly');
  });
  assert.ok(attempts <= 2 * 13, `${attempts} attempts`);
  assert.equal(
    problems.map(({ operator, rule }) => [operator, rule]),
    [['matches', 'one']],
  );
});

test.run();
