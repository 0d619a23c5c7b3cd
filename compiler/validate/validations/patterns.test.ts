import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conditional, warningsOf } from '../../../tests/support/warnings.js';

/** Other warnings are about definitions that nothing uses. */
const findProblems = (text: string, fields: string): readonly string[] =>
  warningsOf(conditional(text, fields)).filter((line) => line.startsWith('expression/unusable-pattern: '));

const LARGE = '.{1,1000}'.repeat(130);

const constant = (pattern: string): string => `, constants: {local: {p: ${JSON.stringify(pattern)}}}`;
const variable = (pattern: string): string =>
  `, variables: {local: {p: ${JSON.stringify(JSON.stringify(pattern))}, q: V.p}}`;

const INVALID =
  'functions that use `C.p` as a regular expression always fail: it is not a regular expression in RE2 syntax';

test('constants and variables that are patterns are judged like literals, and once', () => {
  for (const text of [
    'R.attr.x.matches(C.p)',
    'matches(R.attr.x, C.p)',
    'R.attr.x.matches(C.p) || R.attr.y.matches(C.p)',
  ])
    assert.equal(findProblems(text, constant('(a')), [`expression/unusable-pattern: ${INVALID}`], text);
  for (const name of ['V.p', 'V.q'])
    assert.equal(findProblems(`R.attr.x.matches(${name})`, variable('a(?=b)')).length, 1, name);
});

test('a pattern that is too large is named with its size', () => {
  for (const [name, fields] of [
    ['C.p', constant(LARGE)],
    ['V.p', variable(LARGE)],
  ] as const) {
    const [warning = '', ...others] = findProblems(`R.attr.x.matches(${name})`, fields);
    assert.match(warning, /expand to 2\d{5} instructions, at most 125000 are allowed/);
    assert.equal(others, []);
  }
});

test('usable patterns, and texts that are no patterns, are not reported', () => {
  for (const text of ['R.attr.x.matches(C.p)', 'R.attr.x == C.p'])
    assert.equal(findProblems(text, constant(text.includes('==') ? '(a' : '^a{1,10}$')), [], text);
});

test.run();
