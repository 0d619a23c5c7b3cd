import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('docs/command-line.md');
const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
/** The text under the heading of each command, such as `audit` or `audit verify`. */
const sections = new Map(
  page
    .split(/^#{2,3} (?=[a-z])/m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
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
  for (const [name, section] of sections) {
    const flags = (await helpOf(name.split(' ')))
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
  assert.equal([...new Set([...sections.keys()].map((name) => name.split(' ')[0]))].sort(), [...commands].sort());
});

test('the help lists every command below a heading, with examples, and defaults as people write them', async () => {
  const help = (await helpOf([])).join('\n');
  assert.not.match(help, /^Commands:/m);
  assert.match(help, /^Help:\n {2}help \[command\] .*\n?$/m);
  const problems: string[] = [];
  for (const name of sections.keys()) {
    const text = (await helpOf(name.split(' '))).join('\n');
    if (!/^Examples:\n/m.test(text) && !/^Commands:\n/m.test(text)) problems.push(`${name} has no examples`);
    const [, ...parts] = text.split(/\n(?= {2}(?:-\w, )?--)/);
    const options = parts.map((option) => option.replace(/\s+/g, ' '));
    for (const option of options) {
      if (/default: [[{]/.test(option)) problems.push(`${name}: ${option}`);
      if (/<duration>.*default: (?!"\d+(ms|s|m|h)")/.test(option)) problems.push(`${name}: ${option}`);
      if (/--output <format> (?!output format)/.test(option)) problems.push(`${name}: ${option}`);
      if (/--lenient-scope-search (?!search)/.test(option)) problems.push(`${name}: ${option}`);
    }
  }
  assert.equal(problems, []);
});

test('a short flag means the same in every command', async () => {
  const meanings = new Map<string, Set<string>>();
  for (const name of sections.keys()) {
    for (const line of await helpOf(name.split(' '))) {
      const [, short = '', long = ''] = /^ {2}(-\w), (--[a-z-]+(?: <\w+>)?)/.exec(line) ?? [];
      if (short !== '') meanings.set(short, (meanings.get(short) ?? new Set()).add(long));
    }
  }
  assert.equal([...(meanings.get('-o') ?? [])], ['--output <format>']);
  assert.equal(
    [...meanings].filter(([, longs]) => longs.size > 1).map(([short]) => short),
    [],
  );
});

test('help for a command that does not exist is an error with the nearest name', async () => {
  for (const [words, nearest] of [
    [['help', 'chek'], 'check'],
    [['chek'], 'check'],
    [['config', 'help', 'prnt'], 'print'],
  ] as const) {
    const { code, stdout, stderr } = await callAuthzc(words, folder);
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, `  note: did you mean \`${nearest}\`?`);
  }
  for (const words of [['help'], ['help', 'check'], ['help', 'hc'], ['config', 'help', 'print']])
    assert.match((await callAuthzc(words, folder)).stdout, /^Usage: authzc/, words.join(' '));
});

test.run();

/** The section `serve` of the page also covers dist/server.js. */
const OF_SERVER = new Set(['serve --bundle']);

async function helpOf(words: readonly string[]): Promise<readonly string[]> {
  return (await callAuthzc([...words, '--help'], folder)).stdout.split('\n');
}
