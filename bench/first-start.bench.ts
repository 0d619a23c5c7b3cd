import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from './harness/paths.js';
import { aim, figure, percent, type Section, table } from './harness/report.js';
import { statisticsOf } from './harness/rounds.js';

export const FIRST_START_TITLE = 'Starting a clone';

/** The time of `npm start` by the clock: in a clone where nothing has been built, and again. */
export async function firstStartBench(): Promise<Section> {
  const first: number[] = [];
  const second: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = makeFolder();
    try {
      first.push(await startOnce(folder));
      second.push(await startOnce(folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const row = (name: string, seconds: readonly number[]): readonly string[] => {
    const { minimum, median, spread } = statisticsOf(seconds);
    return [name, figure(minimum), figure(median), percent(spread)];
  };
  return {
    title: FIRST_START_TITLE,
    text: [
      'Seconds by the clock from `npm start` until the server listens. The first one has no programs, no code that tsx has translated, and no code that V8 has compiled.',
      table(['measured', 'minimum s', 'median s', 'spread'], [row('first', first), row('second', second)]),
      aim('the first in less than 2 s', statisticsOf(first).median < 2),
    ].join('\n\n'),
    failures: [],
  };
}

const ROUNDS = 5;
/** The beginning of the line that a server prints once it listens. */
const LISTENS = 'authz: REST and Connect on ';

/** A folder for programs and temporary files. Programs find their packages from there. */
function makeFolder(): string {
  const parent = join(ROOT, '.cache');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'first-start-'));
}

/** The seconds until the line that says where the server listens. */
async function startOnce(folder: string): Promise<number> {
  const begin = performance.now();
  const sets = ['httpListenAddr', 'grpcListenAddr'].flatMap((key) => ['--set', `server.${key}=127.0.0.1:0`]);
  const npm = spawn('npm', ['start', '--', ...sets], {
    cwd: ROOT,
    env: {
      ...process.env,
      AUTHZ_DIST: folder.slice(ROOT.length + 1),
      TMPDIR: folder,
      // The Node of this process.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => npm.once('close', resolve));
  let output = '';
  for await (const chunk of npm.stdout.setEncoding('utf8')) {
    output += chunk;
    if (output.includes(LISTENS)) break;
  }
  const seconds = (performance.now() - begin) / 1000;
  npm.kill();
  await ended;
  if (!output.includes(LISTENS)) throw new Error(`npm start ended: ${output}`);
  return seconds;
}
