import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Command, Option } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listCompletions } from '../../packages/cli/completion/completions.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { NO_TERMINAL, onTerminal } from '../support/cli/terminal.js';
import { skip } from '../support/skip.js';

const test = suite('authzc completion');

/** How each shell starts without the settings of its user, and loads the script. */
const SHELLS = {
  bash: { command: 'bash --norc -i', load: 'eval "$(cat script)"', say: 'authzc() { echo "GOT($*)"; }' },
  zsh: {
    command: 'zsh -f -i',
    load: 'autoload -U compinit; compinit -u -D; eval "$(cat script)"',
    say: 'authzc() { echo "GOT($*)"; }',
  },
  fish: { command: 'fish --no-config -i', load: 'source script', say: 'function authzc; echo "GOT($argv)"; end' },
} as const;

type Shell = keyof typeof SHELLS;

let folder = '';
test.before(() => {
  folder = folderOf({ 'policies/album.yaml': '', 'people/alice.yaml': '' });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** What is typed, and the words that `authzc` receives. `\t` is the Tab key. */
const TYPED: readonly (readonly [string, string])[] = [
  ['authzc compil\t', 'compile'],
  ['authzc compile pol\t', 'compile policies'],
  ['authzc fmt peop\tali\t', 'fmt people/alice.yaml'],
  ['authzc compile --no-em\t', 'compile --no-emit'],
  ['authzc compile -o js\t', 'compile -o json'],
  ['authzc compile --output js\t', 'compile --output json'],
  ['authzc compile --output=js\t', 'compile --output=json'],
  ['authzc check --principal peop\tali\t', 'check --principal people/alice.yaml'],
  ['authzc test --suggest mut\t', 'test --suggest mutants'],
  ['authzc config pri\t', 'config print'],
  ['authzc hc --kind gr\t', 'hc --kind grpc'],
  ['authzc docs variable/unu\t', 'docs variable/unused'],
  ['authzc help who\t', 'help who-can'],
  ['authzc run -- peop\t', 'run -- people'],
  ['authzc plan --kind pol\t', 'plan --kind pol'],
];

for (const shell of Object.keys(SHELLS) as Shell[]) {
  test(`the Tab key completes in ${shell}`, async () => {
    if (NO_TERMINAL !== undefined) return skip(import.meta.url, NO_TERMINAL);
    if (spawnSync(shell, ['--version']).status !== 0) return skip(import.meta.url, `${shell} is not installed`);
    const script = await callAuthzc(['completion', shell], folder);
    assert.is(script.stderr, '');
    const got = await typedIn(
      shell,
      script.stdout,
      TYPED.map(([typed]) => typed),
    );
    assert.equal(
      got,
      TYPED.map(([, words]) => words),
    );
  });
}

test('bash offers the commands and flags that --help lists', async () => {
  const script = (await callAuthzc(['completion', 'bash'], folder)).stdout;
  const offered = (words: readonly string[]): readonly string[] => {
    const { stdout } = spawnSync('bash', [
      '-c',
      `${script}\nshift 0; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _authzc; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      'authzc',
      ...words,
    ]);
    return stdout.toString().trim().split('\n').sort();
  };
  const help = async (words: readonly string[]): Promise<readonly string[]> =>
    (await callAuthzc([...words, '--help'], folder)).stdout.split('\n');
  const namesIn = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => /^ {2}([a-z][a-z-]*)/.exec(line)?.[1] ?? []).sort();
  const flagsIn = (lines: readonly string[]): readonly string[] =>
    lines
      .flatMap((line) => /^ {2}(-\w)?(?:, )?(--[a-z-]+)?/.exec(line)?.slice(1) ?? [])
      .filter(Boolean)
      .sort();
  assert.equal(offered(['']), namesIn(await help([])));
  for (const words of [['compile'], ['config', 'print'], ['audit']])
    assert.equal(offered([...words, '-']), flagsIn(await help(words)), words.join(' '));
});

test('an unknown shell is a usage error with the known ones', async () => {
  const { code, stdout, stderr } = await callAuthzc(['completion', 'csh'], folder);
  assert.is(code, 2);
  assert.is(stdout, '');
  assert.match(stderr, 'must be one of bash, zsh, fish');
});

test('a word with a meaning for shells is not put into a script', () => {
  const program = new Command('p').addOption(new Option('--x <x>', 'x').choices(['$(reboot)']));
  assert.throws(() => listCompletions(program, new Map()), 'a shell cannot complete `$(reboot)`');
});

test.run();

/** Types lines into a shell on a terminal, each after the answer to the one before, and returns the answers. */
async function typedIn(shell: Shell, script: string, lines: readonly string[]): Promise<readonly string[]> {
  const { command, load, say } = SHELLS[shell];
  const files = folderOf({ script, 'policies/album.yaml': '', 'people/alice.yaml': '' });
  const terminal = onTerminal(command, files, { TERM: 'dumb', HOME: files });
  const ended = new Promise((resolve) => terminal.on('close', resolve));
  let shown = '';
  let onData = (): void => undefined;
  terminal.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
    onData();
  });
  // The shell echoes the definition, too, which has a dollar sign.
  const answers = (): readonly string[] => [...shown.matchAll(/GOT\(([^$)]*)\)/g)].map(([, words = '']) => words);
  const answered = (count: number): Promise<void> =>
    new Promise((resolve) => {
      onData = () => {
        if (answers().length >= count) resolve();
      };
      onData();
    });
  const failed = ended.then(() => assert.unreachable(`${shell} ended: ${shown}`));
  failed.catch(() => undefined);
  terminal.stdin.write(`${load}\n${say}\nauthzc\n`);
  for (const [index, line] of lines.entries()) {
    await Promise.race([answered(index + 1), failed]);
    terminal.stdin.write(`${line}\n`);
  }
  await Promise.race([answered(lines.length + 1), failed]);
  terminal.stdin.end('exit\n');
  await ended;
  rmSync(files, { recursive: true, force: true });
  // Zsh removes the slash behind a folder when the line ends.
  return answers()
    .slice(1)
    .map((words) => words.trim().replace(/\/$/, ''));
}
