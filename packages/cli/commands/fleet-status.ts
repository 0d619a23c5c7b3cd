import { readFileSync } from 'node:fs';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { parseDuration } from '../../../server/config/duration.js';
import type { CommandContext } from '../context.js';
import { EXIT, printError, UsageError } from '../exit.js';
import { askServers, type ServerState } from '../fleet/ask-server.js';
import { explainReadError } from '../../../server/read-error.js';

/** The command line options of `fleet status`. */
export interface FleetStatusOptions {
  /** A file with a URL on each line. */
  readonly file?: string;
  readonly username?: string;
  readonly password?: string;
  readonly timeout: string;
  readonly concurrency: number;
  readonly output: 'pretty' | 'json';
}

/**
 * `fleet status`: asks each server which bundle decides, and what it tries (docs/rollout.md#a-fleet). Returns the exit
 * code: all agree, they do not or one does not answer, wrong arguments.
 */
export async function fleetStatus(
  urls: readonly string[],
  options: FleetStatusOptions,
  context: CommandContext,
  now: number = Date.now(),
): Promise<number> {
  try {
    const servers = readServers(urls, options.file);
    const timeout = parseDuration(options.timeout);
    if (timeout === undefined || timeout <= 0)
      throw new UsageError(`\`--timeout\` must be a duration such as \`5s\`, not \`${options.timeout}\``);
    const authorization = makeAuthorization(options);
    const states = await askServers(servers, options.concurrency, { authorization, timeout });
    const problems = listProblems(states);
    context.stdout.write(
      options.output === 'json'
        ? `${visibleJson({ agree: problems.length === 0, problems, servers: states }, 2)}\n`
        : `${formatTable(states, now)}\n\n${problems.length === 0 ? `${states.length} servers agree` : problems.join('\n')}\n`,
    );
    return problems.length === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    printError(error, context);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** Reads the servers in the order in which they are written, each once. */
function readServers(urls: readonly string[], file: string | undefined): readonly string[] {
  const lines = file === undefined ? [] : readLines(file);
  const servers = [...urls, ...lines].map((url) => {
    if (!/^https?:\/\/[^\s/]+(?:\/\S*)?$/.test(url) || !URL.canParse(url))
      throw new UsageError(`\`${url}\` is not an http or https URL`);
    if (new URL(url).username !== '')
      throw new UsageError('a URL must not have credentials: set `--username` and `--password`');
    return url.replace(/\/+$/, '');
  });
  if (servers.length === 0) throw new UsageError('name at least one server, or a file of them with `--file`');
  return [...new Set(servers)];
}

function readLines(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`\`${file}\` cannot be read: ${explainReadError(error)}`);
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function makeAuthorization({ username, password }: FleetStatusOptions): string | undefined {
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined || password === undefined)
    throw new UsageError('the admin API requires both `--username` and `--password`');
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function listProblems(states: readonly ServerState[]): readonly string[] {
  const answered = states.filter(({ error }) => error === undefined);
  const silent = states.length - answered.length;
  const bundles = new Set(answered.map(({ hash }) => hash));
  const rollouts = new Set(answered.flatMap((state) => (state.rollout === undefined ? [] : [formatRollout(state)])));
  const refusing = answered.filter(({ adminError }) => adminError !== undefined).length;
  return [
    ...(silent > 0 ? [`${silent} of ${states.length} servers did not answer`] : []),
    ...(bundles.size > 1 ? [`the servers use ${bundles.size} bundles`] : []),
    ...(rollouts.size > 1 ? [`the servers are in ${rollouts.size} stages of a rollout`] : []),
    ...(refusing > 0 ? [`the admin API of ${refusing} servers did not answer`] : []),
  ];
}

const HEAD = ['server', 'bundle', 'sequence', 'age', 'source', 'rollout', 'error'];

function formatTable(states: readonly ServerState[], now: number): string {
  const rows = [HEAD, ...states.map((state) => formatRow(state, now))];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatRow(state: ServerState, now: number): readonly string[] {
  const { url, hash = '-', rollout, error, adminError } = state;
  const { current, lastError = '' } = rollout ?? {};
  const source = rollout === undefined ? '-' : lastError === '' ? 'ok' : 'failing';
  return [
    url,
    hash,
    current?.sequence ?? '-',
    current?.loadedAt === undefined ? '-' : formatAge(now - Date.parse(current.loadedAt)),
    source,
    rollout === undefined ? '-' : formatRollout(state),
    error ?? adminError ?? lastError,
  ].map((cell) => visible(cell));
}

/** `canary 5 % 0d5be2d7f1a94e11`. */
function formatRollout({ rollout }: ServerState): string {
  if (rollout?.candidate === undefined) return 'none';
  const { candidate, stage = '', percent = 0 } = rollout;
  const name = stage.replace('STAGE_', '').toLowerCase();
  return `${name === 'canary' ? `canary ${percent} %` : name} ${candidate.hash ?? ''}`;
}

/** `3d4h`, `5m10s`: the two largest units. */
function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
}
