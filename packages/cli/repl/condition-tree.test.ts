import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CelError } from '../../cel/runtime/index.js';
import type { Expression, Match } from '../../../compiler/ast/policy.js';
import { conditionTree } from './condition-tree.js';

const RESULTS = { yes: true, no: false, text: 'a', fails: new CelError('no such key: x') } as const;

type Name = keyof typeof RESULTS;

const expr = (text: Name): Match => ({ kind: 'expr', expression: { text } as Expression });
const of = (kind: 'all' | 'any' | 'none', ...names: readonly Name[]): Match => ({ kind, of: names.map(expr) });
const makeRoot = (match: Match): string | undefined => conditionTree(match, ({ text }) => RESULTS[text as Name])[0];

test('all, any and none have the result of the engine, and a failed part does not hold', () => {
  assert.equal([of('all', 'yes', 'yes'), of('all', 'yes', 'no'), of('all', 'yes', 'fails')].map(makeRoot), [
    'all [true]',
    'all [false]',
    'all [false]',
  ]);
  assert.equal([of('any', 'no', 'yes'), of('any', 'no', 'fails'), of('any', 'text')].map(makeRoot), [
    'any [true]',
    'any [false]',
    'any [false]',
  ]);
  assert.equal([of('none', 'no', 'fails'), of('none', 'no', 'yes'), of('none', 'yes')].map(makeRoot), [
    'none [true]',
    'none [false]',
    'none [false]',
  ]);
});

test('a part that does not hold has a reason', () => {
  assert.equal([expr('yes'), expr('no'), expr('text'), expr('fails')].map(makeRoot), [
    'yes [true]',
    'no [false]',
    'text [false: it is not a boolean]',
    'fails [false: no such key: x]',
  ]);
});

test.run();
