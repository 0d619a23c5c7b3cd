import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('lines are JSON with the keys of docs/spec/server.md#logs; errors go to stderr, everything else to stdout', () => {
  const { output, errors } = run('none');
  const [info, warning] = output;
  const { '@timestamp': timestamp, ...rest } = info as Line;
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(rest, {
    'log.level': 'info',
    'log.logger': 'authz.test',
    message: 'an info line',
    count: 1,
    'authz.call_id': 'ID',
  });
  assert.is(warning?.['log.level'], 'warn');
  assert.is(warning?.['error'], 'reason');
  assert.match(String(warning?.['error.stack']), 'log-program');
  assert.equal(output.map(messageOf), ['an info line', 'a warning']);
  assert.equal(errors.map(messageOf), ['an error']);
});

test('an environment variable sets the log level', () => {
  assert.equal(run('none', { AUTHZ_LOG_LEVEL: 'ERROR' }).output, []);
  assert.is(run('none', { AUTHZ_LOG_LEVEL: 'debug' }).output.length, 3);
});

test('no line is lost when the process exits at once or crashes', () => {
  const exited = run('exit');
  assert.is(exited.status, 3);
  assert.equal(exited.output.map(messageOf), ['an info line', 'a warning']);
  assert.equal(exited.errors.map(messageOf), ['an error']);
  const died = run('fatal');
  assert.is(died.status, 1);
  assert.equal(died.output.map(messageOf), ['an info line', 'a warning']);
  assert.equal(died.errors.map(messageOf), ['an error']);
});

test('SIGUSR1 enables debug lines for a while', () => {
  const { output, status } = run('signal', { AUTHZ_TEMP_LOG_LEVEL_DURATION: '100ms' });
  assert.is(status, 0);
  assert.equal(output.map(messageOf), [
    'an info line',
    'a warning',
    'debug logging enabled temporarily',
    'a debug line after the signal',
  ]);
});

test.run();

type Line = Readonly<Record<string, unknown>>;

function run(
  end: string,
  variables: Readonly<Record<string, string>> = {},
): { readonly output: readonly Line[]; readonly errors: readonly Line[]; readonly status: number | null } {
  const program = fileURLToPath(new URL('log-program.ts', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', program, end], {
    env: { ...process.env, ...variables },
    encoding: 'utf8',
  });
  return { output: linesOf(stdout), errors: linesOf(stderr), status };
}

/** Node prints the stack of a fatal error as text between the lines. */
function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

function messageOf({ message }: Line): unknown {
  return message;
}
