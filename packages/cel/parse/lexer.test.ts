import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lex } from './lexer.js';

test('the longest token wins', () => {
  assert.equal(listTypes('a<=b'), ['IDENTIFIER', '<=', 'IDENTIFIER']);
  assert.equal(listTypes('1.5 1e3 .5 1. 0x1F 0x 1u 0x1fU 1e'), [
    'NUM_FLOAT',
    'NUM_FLOAT',
    'NUM_FLOAT',
    'NUM_INT',
    '.',
    'NUM_INT',
    'NUM_INT',
    'IDENTIFIER',
    'NUM_UINT',
    'NUM_UINT',
    'NUM_INT',
    'IDENTIFIER',
  ]);
});

test('keywords have their own tokens, reserved words are identifiers', () => {
  assert.equal(listTypes('in true false null for'), ['in', 'true', 'false', 'null', 'IDENTIFIER']);
});

test('white space and comments separate tokens, also at the end', () => {
  assert.equal(listTypes(' \t\r\n\f1 // one'), ['NUM_INT']);
  assert.equal(lex('1\u00a0').errors.length, 1);
});

test('a string has either quote, once or three times, and prefixes', () => {
  assert.equal(listTypes(`'a' "a" '''a'b''' """a"b""" r'\\' b'a' br'\\' R"""\\"""`), [
    'STRING',
    'STRING',
    'STRING',
    'STRING',
    'STRING',
    'BYTES',
    'BYTES',
    'STRING',
  ]);
  assert.equal(listTypes('rb"a"'), ['IDENTIFIER', 'STRING']);
});

test('a back-ticked identifier can have letters, digits, _ . / - and spaces', () => {
  assert.equal(listTypes('a.`b-c d/e.f_1`'), ['IDENTIFIER', '.', 'ESC_IDENTIFIER']);
});

test('invalid input is an error up to the first character that cannot continue a token', () => {
  assert.equal(listErrors('"\\q"'), [`"\\q`, '"']);
  assert.equal(listErrors('a = b'), ['= ']);
  assert.equal(listErrors('a.`$b`'), ['`$', '`']);
  assert.equal(listErrors('"\\xFh"'), ['"\\xFh', '"']);
  assert.equal(listErrors('😁'), ['😁']);
});

test('a broken triple-quoted string is an empty string and the rest', () => {
  assert.equal(listTypes('"""a'), ['STRING']);
  assert.equal(listErrors('"""a'), ['"a']);
});

test('offsets are UTF-16 units', () => {
  assert.equal(
    lex("'😁' + a").tokens.map(({ start, end }) => [start, end]),
    [
      [0, 4],
      [5, 6],
      [7, 8],
      [8, 8],
    ],
  );
});

test.run();

function listTypes(text: string): string[] {
  return lex(text)
    .tokens.slice(0, -1)
    .map(({ type }) => type);
}

function listErrors(text: string): string[] {
  return lex(text).errors.map(({ start, end }) => text.slice(start, end));
}
