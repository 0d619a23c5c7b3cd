import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lex } from './lexer.js';

test('the longest token wins', () => {
  assert.equal(typesOf('a<=b'), ['IDENTIFIER', '<=', 'IDENTIFIER']);
  assert.equal(typesOf('1.5 1e3 .5 1. 0x1F 0x 1u 0x1fU 1e'), [
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
  assert.equal(typesOf('in true false null for'), ['in', 'true', 'false', 'null', 'IDENTIFIER']);
});

test('white space and comments separate tokens, also at the end', () => {
  assert.equal(typesOf(' \t\r\n\f1 // one'), ['NUM_INT']);
  assert.equal(lex('1\u00a0').errors.length, 1);
});

test('a string has either quote, once or three times, and prefixes', () => {
  assert.equal(typesOf(`'a' "a" '''a'b''' """a"b""" r'\\' b'a' br'\\' R"""\\"""`), [
    'STRING',
    'STRING',
    'STRING',
    'STRING',
    'STRING',
    'BYTES',
    'BYTES',
    'STRING',
  ]);
  assert.equal(typesOf('rb"a"'), ['IDENTIFIER', 'STRING']);
});

test('a back-ticked identifier can have letters, digits, _ . / - and spaces', () => {
  assert.equal(typesOf('a.`b-c d/e.f_1`'), ['IDENTIFIER', '.', 'ESC_IDENTIFIER']);
});

test('invalid input is an error up to the first character that cannot continue a token', () => {
  assert.equal(errorsOf('"\\q"'), [`"\\q`, '"']);
  assert.equal(errorsOf('a = b'), ['= ']);
  assert.equal(errorsOf('a.`$b`'), ['`$', '`']);
  assert.equal(errorsOf('"\\xFh"'), ['"\\xFh', '"']);
  assert.equal(errorsOf('😁'), ['😁']);
});

test('a broken triple-quoted string is an empty string and the rest', () => {
  assert.equal(typesOf('"""a'), ['STRING']);
  assert.equal(errorsOf('"""a'), ['"a']);
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

function typesOf(text: string): string[] {
  return lex(text)
    .tokens.slice(0, -1)
    .map(({ type }) => type);
}

function errorsOf(text: string): string[] {
  return lex(text).errors.map(({ start, end }) => text.slice(start, end));
}
