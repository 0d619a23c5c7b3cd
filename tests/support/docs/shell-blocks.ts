import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { callShipped } from '../cli/call-authzc.js';
import { launch, PROGRAMS, type Running, stop } from '../cli/programs.js';
import { ROOT } from '../compiled.js';
import { npmProgram } from '../npm.js';
import { type Application, startApplication } from '../application.js';
import { type Block, type Page, titleOf } from './blocks.js';
import { difference, matchesText } from './expected.js';
import { LAST_RESORT } from '../timeout.js';

/** The commands that a page may run, by their first words. `authzc` and `npx authzc` are this repository's. */
const ALLOWED: readonly string[] = [
  'authzc',
  'npx',
  'npm',
  'node',
  'curl',
  'cd',
  'cat',
  'mkdir',
  'ls',
  'echo',
  'git',
  'cp',
  'mv',
  'grep',
  'tail',
  'sed',
  'head',
  'printf',
];

/** A reader of git pages: with a name, and without the configuration of this machine. */
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Reader',
  GIT_AUTHOR_EMAIL: 'reader@example.com',
  GIT_COMMITTER_NAME: 'Reader',
  GIT_COMMITTER_EMAIL: 'reader@example.com',
};

/** The folder in which a page's commands run, step by step, as a reader would run them. */
export interface Shell {
  /** Writes a file of the page into the reader's working directory. */
  readonly write: (block: Block) => void;
  readonly run: (block: Block) => Promise<readonly string[]>;
  /** Compares an excerpt with its file in the reader's working directory. */
  readonly quotes: (block: Block) => readonly string[];
  /** Starts `authzc serve` in the reader's working directory. Later requests of the page go to it. */
  readonly serve: (block: Block) => Promise<readonly string[]>;
  /** The output of the last block of commands. */
  readonly compare: (block: Block) => readonly string[];
  readonly base: () => string;
  readonly close: () => Promise<void>;
}

/** What the commands of a page run. */
export interface ShellPrograms {
  /** Writes `authzc`, `npx` and `npm` into the folder. */
  readonly write: (bin: string) => void;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether commands of `authzc` run in this process where they can: each would start in half a second. */
  readonly areCalled: boolean;
  /** The folder in which the one of the page is created. */
  readonly parent: string;
  /** A command that hangs fails the page after this many milliseconds. */
  readonly timeout: number;
}

/**
 * @param base the addresses of the test server.
 * @param programs those of this repository if absent.
 */
export function openShell(page: Page, base: string, programs: ShellPrograms = REPOSITORY_PROGRAMS): Shell {
  const folder = mkdtempSync(join(programs.parent, 'docs-'));
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  programs.write(bin);
  // Pages write tests of their own.
  const filter = (path: string): boolean => !path.endsWith('_test.yaml');
  if (!page.startsEmpty) cpSync(join(ROOT, 'policies'), join(folder, 'policies'), { recursive: true, filter });
  let current = folder;
  let printed = '';
  let url = base;
  const servers: Running[] = [];
  const applications: Application[] = [];

  const environment = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    NODE_NO_WARNINGS: '1',
    ...GIT,
    ...programs.environment,
  };
  /** Runs a script in the reader's working directory, and remembers the directory in which it ends. */
  const bash = (script: string): Promise<{ readonly code: number; readonly output: string }> =>
    new Promise((resolve) => {
      const mark = join(folder, '.where');
      const body = `set -e\ntrap 'pwd > "${mark}"' EXIT\n${script}`;
      execFile(
        'bash',
        ['-c', `exec 2>&1\n${body}`],
        { cwd: current, env: environment, timeout: programs.timeout },
        (error, stdout) => {
          current = readFileSync(mark, 'utf8').trim();
          resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, output: stdout });
        },
      );
    });

  const step = async (block: Block, command: string, expected: string | undefined): Promise<readonly string[]> => {
    const forbidden = forbiddenCommands(command);
    if (forbidden.length > 0) return [`${titleOf(block)}: \`${forbidden.join('`, `')}\` must not run from a page`];
    const script = command.replace(LOCAL, url).replaceAll('localhost:3592', new URL(url).host);
    const words = programs.areCalled ? wordsOf(script) : undefined;
    const wanted = Number(block.words.get('exit') ?? 0);
    const run = (): Promise<{ readonly code: number | null; readonly output: string }> =>
      words === undefined ? bash(script) : callShipped(words, current, environment);
    let { code, output } = await run();
    // A server answers before its entries are in a log, and no reader is as fast as a call in this process.
    for (let tries = 0; words?.[0] === 'audit' && code !== wanted && tries < 240; tries += 1) {
      await wait(250);
      ({ code, output } = await run());
    }
    printed = output;
    if (code !== wanted) return [`${titleOf(block)}: \`${command}\` ended with ${code}: ${output}`];
    return expected === undefined || matchesText(output, expected)
      ? []
      : [`${titleOf(block)}: \`${command}\` printed\n${output}`];
  };

  return {
    write: ({ file: path, text }) => {
      const file = join(current, path ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    quotes: (block) => {
      if (block.file === undefined) return [];
      const isQuoted = readFileSync(join(current, block.file), 'utf8').includes(block.text.trimEnd());
      return isQuoted ? [] : [`${titleOf(block)}: the file does not contain this`];
    },
    run: async (block) => {
      if (block.language === 'sh') return step(block, block.text, undefined);
      const problems: string[] = [];
      for (const { command, output } of sessionsOf(block.text)) problems.push(...(await step(block, command, output)));
      return problems;
    },
    serve: async (block) => {
      const command = block.text.trim().replace(/ &$/, '');
      try {
        if (command === 'npm start') {
          const application = startApplication(current, { PATH: `${bin}:${process.env['PATH']}` });
          applications.push(application);
          url = await application.url;
          return [];
        }
        const server = launch(
          PROGRAMS.authzc,
          [
            ...command.replace(/^npx authzc |^authzc /, '').split(' '),
            '--set',
            'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0',
          ],
          current,
        );
        servers.push(server);
        url = /http:\/\/[^,]+/.exec(await server.firstLine)?.[0] ?? url;
        return [];
      } catch (error) {
        return [`${titleOf(block)}: ${String(error)}`];
      }
    },
    compare: (block) => {
      const problem =
        block.language === 'json'
          ? jsonProblem(printed, block.text)
          : matchesText(printed, block.text)
            ? undefined
            : `what was printed is\n${printed}`;
      return problem === undefined ? [] : [`${titleOf(block)}: ${problem}`];
    },
    base: () => url,
    close: async () => {
      await Promise.all([...servers.map(stop), ...applications.map((application) => application.stop())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function jsonProblem(printed: string, expected: string): string | undefined {
  try {
    return difference(JSON.parse(printed), JSON.parse(expected));
  } catch (error) {
    return `${String(error)}: ${printed}`;
  }
}

/** The addresses that pages have. */
const LOCAL = /http:\/\/localhost:(?:3000|3592)/g;

/** `authzc`, also for npx, and an npm that can install only this repository. */
const REPOSITORY_PROGRAMS: ShellPrograms = {
  write: writePrograms,
  environment: {},
  areCalled: true,
  parent: join(ROOT, '.cache'),
  timeout: LAST_RESORT,
};

/** Writes a program as a shell script. */
export function writeScript(bin: string, name: string, body: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

function writePrograms(bin: string): void {
  const script = (name: string, body: string): void => writeScript(bin, name, body);
  script('authzc', `exec "${process.execPath}" "${PROGRAMS.authzc}" "$@"`);
  script('npx', '[ "$1" = authzc ] || { echo "npx $1 is not run from a page"; exit 1; }\nshift\nexec authzc "$@"');
  const link = `"${process.execPath}" --import tsx "${join(ROOT, 'tests/support/docs/link-package.ts')}" "$PWD" "${PROGRAMS.authzc}"`;
  script(
    'npm',
    `case "$1" in install|ci) cd_to="$PWD"; (cd "${ROOT}" && PWD="$cd_to" ${link.replace('"$PWD"', '"$cd_to"')}) ;; *) exec node "${npmProgram()}" "$@" ;; esac`,
  );
}

/** Commands that run until they are stopped, or start programs. */
const NEED_PROCESS: ReadonlySet<string> = new Set(['dev', 'lsp', 'mcp', 'repl', 'run', 'serve', 'server']);

/** The arguments of a line that is nothing but a command of authzc; undefined if it needs a shell or its own process. */
function wordsOf(line: string): readonly string[] | undefined {
  const [program, ...words] = line.trim().replace(/^npx /, '').split(' ');
  if (program !== 'authzc' || NEED_PROCESS.has(words[0] ?? '') || words.includes('--watch')) return undefined;
  return words.every((word) => /^[\w./:=@,+-]+$/.test(word)) ? words : undefined;
}

interface Session {
  readonly command: string;
  readonly output: string;
}

/** Splits `$ command` and its output into steps. A command continues after a backslash. */
function sessionsOf(text: string): readonly Session[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const lines = part.split('\n');
      const end = lines.findIndex((line) => !line.endsWith('\\')) + 1;
      return { command: lines.slice(0, end).join('\n'), output: lines.slice(end).join('\n') };
    });
}

/** The commands of a script that no page may run. Quoted strings and request bodies are not commands. */
function forbiddenCommands(script: string): readonly string[] {
  const bare = script
    .replace(/<<'(\w+)'\n[\s\S]*?\n\1$/gm, '')
    .replace(/'[^']*'|"[^"]*"/g, '""')
    .replaceAll('\\\n', ' ')
    .replace(/^#.*$/gm, '');
  const commands = bare.split(/\n|&&|\|\||;|\|/).map((part) => part.trim().split(/\s+/)[0] ?? '');
  return commands.filter((word) => word !== '' && !ALLOWED.includes(word));
}
