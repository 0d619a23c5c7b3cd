import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { ROOT } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { openShell } from '../support/docs/shell-blocks.js';
import { runSteps } from '../support/docs/steps.js';
import { runCode } from './code-blocks.js';

const test = suite('skills for agents');
const FOLDER = join(ROOT, 'skills');

for (const name of readdirSync(FOLDER).toSorted()) {
  const file = join(FOLDER, name, 'SKILL.md');

  test(`${name}: says what it is for`, () => {
    const [, header = ''] = /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(file, 'utf8')) ?? [];
    const { name: written, description } = parse(header) as { readonly name: string; readonly description: string };
    assert.is(written, name);
    // The limit of the format.
    assert.ok(description.includes('Use it when') && description.length <= 1_024);
  });

  test(`${name}: its commands print what it shows`, async () => {
    const page = readPage(file);
    assert.ok(page.startsEmpty);
    assert.equal(
      await runSteps(page, openShell(page, 'http://localhost:3592'), async () => ['there is no server']),
      [],
    );
  });
}

test('their code type-checks and runs', async () => {
  const pages = readdirSync(FOLDER).map((name) => readPage(join(FOLDER, name, 'SKILL.md')));
  assert.equal(await runCode(pages), []);
});

test.run();
