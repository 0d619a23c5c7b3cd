import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { folderOf, PROGRAMS, run } from '../support/cli/programs.js';

const test = suite('docs/command-line.md');
const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
let folder = '';
test.before(() => {
  folder = folderOf({});
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('the page documents exactly the commands that exist, and exactly their flags', async () => {
  const commands = (await helpOf([]))
    .flatMap((line) => /^ {2}([a-z][a-z-]*)/.exec(line)?.[1] ?? [])
    .filter((name) => name !== 'help');
  assert.ok(commands.length > 8);
  const problems: string[] = [];
  for (const name of commands) {
    const words = name === 'config' ? ['config', 'print'] : [name];
    const section = sectionOf(words.join(' '));
    const flags = (await helpOf(words))
      .flatMap((line) => /^ {2}(?:-\w, )?(--[a-z-]+)/.exec(line)?.[1] ?? [])
      .filter((flag) => flag !== '--help');
    const shown = new Set([...section.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag));
    problems.push(...flags.filter((flag) => !shown.has(flag)).map((flag) => `${name} ${flag} is missing`));
    problems.push(
      ...[...shown]
        .filter((flag) => !flags.includes(flag as string) && !OF_SERVER.has(`${name} ${flag}`))
        .map((flag) => `${name} has no ${flag}`),
    );
  }
  assert.equal(problems, []);
  const headings = [...page.matchAll(/^## (\S+)/gm)].map(([, name = '']) => name);
  assert.equal(
    headings.filter((name) => !commands.includes(name)),
    [],
  );
});

test.run();

/** The section `serve` of the page also covers dist/server.js. */
const OF_SERVER = new Set(['serve --bundle', 'serve --log-level']);

async function helpOf(words: readonly string[]): Promise<readonly string[]> {
  return (await run(PROGRAMS.authzc, [...words, '--help'], folder)).stdout.split('\n');
}

/** The text under the heading of a command; empty when there is none. */
function sectionOf(command: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${command}\n`)) ?? '';
}
