import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { solverCommand } from '../../packages/analysis/solve/command.js';
import { LAST_RESORT, until, within } from '../support/timeout.js';

const test = suite('programs as solvers');
const folder = mkdtempSync(join(tmpdir(), 'authz-solver-'));

test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Each starts another program, whose process id it writes down, as scripts around solvers do. */
const SCRIPTS: { readonly [name: string]: { readonly body: string; readonly output: string | undefined } } = {
  'a script whose solver does not end': { body: 'sleep 6000 & echo $! > "$0.pid"; wait', output: undefined },
  'a script that ends before its solver': { body: 'sleep 6000 & echo $! > "$0.pid"; echo sat', output: 'sat\n' },
  'a script whose solver prints without end': { body: 'yes & echo $! > "$0.pid"; wait', output: undefined },
  'a script that ignores signals': {
    body: 'trap \'\' TERM INT HUP; sleep 6000 & echo $! > "$0.pid"; wait',
    output: undefined,
  },
  'a script that reads its query late': { body: 'sleep 0 & echo $! > "$0.pid"; wait; cat', output: 'query\n' },
};

for (const [name, { body, output }] of Object.entries(SCRIPTS))
  test(`${name}: the answer comes in time, and nothing is left`, async () => {
    const script = join(folder, `${Object.keys(SCRIPTS).indexOf(name)}.sh`);
    writeFileSync(script, `#!/bin/sh\n${body}\n`);
    chmodSync(script, 0o755);
    // None of the scripts that do not end would end while the test waits.
    const answer = solverCommand(script, output === undefined ? 2000 : LAST_RESORT).run('query\n');
    assert.is(await within(answer, 'an answer'), output);
    // A busy machine may end the script before it has started anything.
    const pid = existsSync(`${script}.pid`) ? Number(readFileSync(`${script}.pid`, 'utf8')) : undefined;
    await until(() => pid === undefined || !isRunning(pid), 'the end of the solver');
  });

test('a solver ends by processor time, which a busy machine does not use up', async () => {
  const script = join(folder, 'busy.sh');
  writeFileSync(script, '#!/bin/sh\nwhile :; do :; done\n');
  chmodSync(script, 0o755);
  assert.is(await within(solverCommand(script, LAST_RESORT, 1).run('query\n'), 'an answer'), undefined);
});

test.run();

/** A process that has ended, and that its parent has not asked about yet, runs no more. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    // Systems without /proc have no such file.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc');
  }
}
