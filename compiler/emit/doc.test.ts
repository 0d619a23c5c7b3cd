import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asPrinted, commented, exported, group, indent, line, literal, mention, printed, unplaced } from './doc.js';
import { PieceList } from '../ir/pieces.js';

const listKinds = (doc: Parameters<typeof printed>[0]): readonly string[] => {
  const { text, pieces } = printed(doc);
  return pieces.of(text).map(({ kind, text: of }) => `${kind} ${of}`);
};

test('a literal is what was printed as one, whatever it contains', () => {
  assert.equal(listKinds(['f(', literal("'it'"), ', ', literal('"\'"'), ");'no'"]), [
    'code f(',
    "literal 'it'",
    'code , ',
    'literal "\'"',
    "code );'no'",
  ]);
});

test('adjacent literals are apart, and adjacent code is one piece', () => {
  assert.equal(listKinds([literal('1'), literal('2'), 'a', group(['b', line]), 'c']), [
    'literal 1',
    'literal 2',
    'code ab c',
  ]);
});

test('comments and exports are known', () => {
  assert.equal(listKinds([commented("// it's"), '\n', exported('a', false), ' = 1;']), [
    "comment // it's",
    'code \n',
    'export export ',
    'code const ',
    'name a',
    'code  = 1;',
  ]);
  assert.equal(printed(exported('a', true)).exports, [{ name: 'a', isMentioned: true }]);
});

test('code that was printed before keeps its pieces and mentions', () => {
  const inner = asPrinted(unplaced([mention('cel'), '.f(', literal("'x'"), ')']));
  assert.equal(listKinds(indent(['a ', inner])), ['code a cel.f(', "literal 'x'", 'code )']);
  assert.equal([...printed(inner).mentions], ['cel']);
});

test('pieces of another text are refused', () => {
  const pieces = new PieceList();
  pieces.add('code', 3);
  assert.throws(() => pieces.of('four'), /authzc has a bug/);
});

test.run();
