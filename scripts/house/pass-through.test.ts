import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPassThrough } from './pass-through.js';

test('functions that only call another one are told from those that do something', () => {
  const passes = [
    '(a, b) => run(a, b.c)',
    'find(name) { return this.map.get(name); }',
    'async find(name) { await this.map.get(name); }',
    "function open(path) { return read(path, 'utf8'); }",
    '(a) => { run(a); }',
  ];
  const works = [
    '(a) => a + 1',
    '(a) => run(a + 1)',
    '(a) => run({ a })',
    '(a) => run(make(a))',
    'find(name) { const a = name; return this.map.get(a); }',
    'find(name) { return name; }',
    'function none() {}',
    '',
  ];
  assert.equal(
    passes.filter((text) => !isPassThrough(text)),
    [],
  );
  assert.equal(works.filter(isPassThrough), []);
});

test.run();
