import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EndedFile, runSuite } from './suite-process.js';

const test = suite('the process of a suite');

mkdirSync('.cache', { recursive: true });
const folder = mkdtempSync('.cache/suite-');
test.after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, body: string): string => {
  const path = join(folder, `${name}.test.ts`);
  writeFileSync(path, `import { test } from 'uvu';\nimport * as assert from 'uvu/assert';\n${body}\ntest.run();\n`);
  return path;
};

async function run(...files: readonly string[]): Promise<readonly EndedFile[]> {
  const ended: EndedFile[] = [];
  await runSuite(process.execPath, files, { ANSWER: '42' }, (one) => ended.push(one));
  return ended;
}

test('each file has its own result, in order, and sees the variables', async () => {
  const ended = await run(
    file('passes', `test('a', () => assert.is(process.env.ANSWER, '42'));\ntest('b', () => undefined);`),
    file('fails', `test('c', () => assert.is(1, 2));\ntest('d', () => undefined);`),
    file('goes-on', `test('e', () => undefined);`),
  );
  assert.equal(
    ended.map(({ passed, failed }) => [passed, failed]),
    [
      [2, 0],
      [1, 1],
      [1, 0],
    ],
  );
  assert.match(ended[1]?.output ?? '', /FAIL.*"c"/s);
  assert.not.match(ended[2]?.output ?? '', /"c"/);
});

test('a file that cannot be loaded, or that ends the process, fails, and the others run', async () => {
  const ended = await run(
    file('throws', `throw new Error('at import');`),
    file('exits', `test('f', () => process.exit(3));`),
    file(
      'rejects',
      `test('g', async () => { void Promise.reject(new Error('nobody waits')); await new Promise((r) => setTimeout(r, 50)); });`,
    ),
    file('after', `test('h', () => undefined);`),
  );
  assert.equal(
    ended.map(({ passed, failed }) => [passed, failed]),
    [
      [0, 1],
      [0, 1],
      [0, 1],
      [1, 0],
    ],
  );
  assert.match(ended[0]?.output ?? '', /at import/);
  assert.match(ended[1]?.output ?? '', /its process ended with code 3/);
  assert.match(ended[2]?.output ?? '', /nobody waits/);
});

test.run();
