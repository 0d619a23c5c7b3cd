import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bindings, LinkedDerivedRole, LinkedResourcePolicy, PolicySet } from '../../ast/policy-set.js';
import type { Condition, Expression, PolicyFile, ResourcePolicy, ResourceRule } from '../../ast/policy.js';
import { Diagnostics } from '../../diagnostics/diagnostic.js';
import { Source } from '../../diagnostics/source.js';
import type { Place } from '../../diagnostics/span.js';
import { parseCel } from '../../../packages/cel/parse/index.js';
import { checkExpressions } from './expressions.js';

test('an invalid expression is one error at its location, with all of its problems', () => {
  const { report } = run({ conditions: [expression('foo + R.kin == 1', 40)] });
  const [found, ...others] = report.sorted();
  assert.equal(others, []);
  assert.is(found?.code, 'expression/invalid');
  assert.is(
    found?.message,
    "Invalid expression `foo + R.kin == 1`: [undeclared reference to 'foo' (in container ''), undefined field 'kin']",
  );
  assert.is(found?.place?.anchor, 40);
});

test('each problem after the first has a note at its location, and each has a hint if there is one', () => {
  const { report } = run({ conditions: [expression('R.kin == "a" && R.idd == "b"', 40)] });
  assert.equal(
    report.sorted()[0]?.notes.map(({ message, span }) => [message, span?.start, span?.end]),
    [
      ['did you mean `kind`?', 44, 47],
      ["undefined field 'idd'", 60, 63],
      ['did you mean `id`?', 60, 63],
    ],
  );
});

test('an expression without text has a note with the way out', () => {
  for (const text of ['', ' ', '\n'])
    assert.match(
      run({ conditions: [expression(text, 40)] })
        .report.sorted()[0]
        ?.notes.map(({ message }) => message)
        .join() ?? '',
      /^write an expression, such as `R\.attr\.owner == P\.id`/,
    );
});

test('the only problem is not repeated in a note', () => {
  for (const text of ['R.kin == "a"', 'R.attr.x + ', 'nope', '1 + 1.0 == 2.0', 'R.attr.x.matches("(a")']) {
    const { report } = run({ conditions: [expression(text, 40)] });
    const [{ message, notes } = { message: '', notes: [] }] = report.sorted();
    for (const note of notes) assert.not.match(message, note.message, text);
  }
});

test('an expression that does not parse is reported with its syntax errors', () => {
  const { report, types } = run({ conditions: [expression('1 +', 5)] });
  assert.match(report.sorted()[0]?.message ?? '', /^Invalid expression `1 \+`: \[Syntax error: /);
  assert.is(types.size, 0);
});

test('variables are checked whether used or not, and so are all definitions of imported derived roles', () => {
  const { report } = run({
    variables: [expression('P.idd', 1)],
    importedRoles: [role(expression('R.kinds == "a"', 2), expression('nope', 3))],
  });
  assert.equal(
    report.sorted().map(({ message }) => message.replace(/^.*: /, '')),
    ["[undefined field 'idd']", "[undefined field 'kinds']", "[undeclared reference to 'nope' (in container '')]"],
  );
});

test('an invalid expression that two documents share is reported once', () => {
  const shared = expression('P.idd', 1);
  const { report } = run({
    variables: [shared],
    conditions: [expression('P.idd', 1)],
    importedRoles: [role(expression('true', 2), shared)],
  });
  assert.is(report.sorted().length, 1);
});

test('a valid expression has side tables', () => {
  const valid = expression('R.attr.owner == P.id', 1);
  const { report, types } = run({ conditions: [valid] });
  assert.equal(report.sorted(), []);
  assert.is(types.get(valid)?.types.size, 6);
});

test.run();

interface Parts {
  readonly conditions?: readonly Expression[];
  readonly variables?: readonly Expression[];
  readonly importedRoles?: readonly LinkedDerivedRole[];
}

function run({ conditions = [], variables = [], importedRoles = [] }: Parts): {
  readonly report: Diagnostics;
  readonly types: ReturnType<typeof checkExpressions>;
} {
  const report = new Diagnostics();
  const rules = conditions.map((of) => ({ condition: makeCondition(of), output: undefined }) as ResourceRule);
  const policy = {
    kind: 'resource',
    policy: { rules } as unknown as ResourcePolicy,
    bindings: makeBindings(variables),
    importedRoles,
  };
  const policies: PolicySet = { policies: [policy as unknown as LinkedResourcePolicy], documents: [], invariants: [] };
  return { report, types: checkExpressions(policies, report) };
}

const source = new Source('policy.yaml', ' '.repeat(200));

function expression(text: string, anchor: number): Expression {
  const { ast, errors } = parseCel(text);
  return {
    text,
    place: placeAt(anchor),
    ast,
    syntaxErrors: errors,
    spanOf: (start, end) => ({ source, start: anchor + 2 + start, end: anchor + 2 + end }),
  };
}

function placeAt(anchor: number): Place {
  return { span: { source, start: anchor, end: anchor + 1 }, anchor, path: '$' };
}

function makeCondition(of: Expression): Condition {
  return { place: placeAt(0), match: { kind: 'all', of: [{ kind: 'none', of: [{ kind: 'expr', expression: of }] }] } };
}

function makeBindings(variables: readonly Expression[]): Bindings {
  const file = {} as PolicyFile;
  return {
    variables: new Map(variables.map((of, i) => [`v${i}`, { name: `v${i}`, expression: of, file }])),
    constants: new Map(),
  };
}

function role(condition: Expression, variable: Expression): LinkedDerivedRole {
  return {
    definition: { condition: makeCondition(condition) },
    bindings: makeBindings([variable]),
  } as unknown as LinkedDerivedRole;
}
