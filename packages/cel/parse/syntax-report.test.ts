import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lex } from './lexer.js';
import { reportSyntax } from './syntax-report.js';

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

test('an extra token is skipped', () => {
  assert.equal(listMessages('1 + + 1'), [`extraneous input '+' expecting ${operand}`]);
  assert.equal(listMessages('1)'), ["extraneous input ')' expecting <EOF>"]);
});

test('a missing token is inserted', () => {
  assert.equal(listMessages('(1'), ["missing ')' at '<EOF>'"]);
});

test('any other token is a mismatch', () => {
  assert.equal(listMessages('1 +'), [`mismatched input '<EOF>' expecting ${operand}`]);
  assert.equal(listMessages('{1: 2 3: 4}'), ["mismatched input '3' expecting {'}', ','}"]);
});

test('where several tokens decide, they are quoted together', () => {
  assert.equal(listMessages('a..b'), ["no viable alternative at input '..'"]);
  assert.equal(listMessages('--'), [
    "no viable alternative at input '-'",
    `mismatched input '<EOF>' expecting ${operand}`,
  ]);
});

test('a keyword after a dot is told apart', () => {
  assert.equal(listMessages('a.true'), ["mismatched input 'true' expecting IDENTIFIER"]);
  assert.equal(listMessages('a.in'), [
    "no viable alternative at input '.in'",
    `mismatched input '<EOF>' expecting ${operand}`,
  ]);
});

test('parsing goes on after an error', () => {
  assert.equal(listMessages('1 * * c * / + 2'), [
    `extraneous input '*' expecting ${operand}`,
    `mismatched input '/' expecting ${operand}`,
    `extraneous input '+' expecting ${operand}`,
  ]);
});

test('recovery stops after 30 attempts', () => {
  assert.is(listMessages('a{'.repeat(100)).at(-1), 'error recovery attempt limit exceeded: 30');
});

test('recovery is given up wherever the parser is stuck: at what may not follow, and at what may not begin', () => {
  for (const text of ['a{', '&& ', '} in ']) {
    const messages = listMessages(text.repeat(100));
    assert.is(messages.at(-1), 'error recovery attempt limit exceeded: 30', text);
    assert.is(messages.length, text === 'a{' ? 31 : 32, text);
  }
});

test.run();

function listMessages(text: string): string[] {
  return reportSyntax(text, lex(text)).errors.map(({ message }) => message.replace('Syntax error: ', ''));
}
