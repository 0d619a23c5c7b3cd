import { execFileSync } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { pageFiles } from '../../server/explorer/page-files.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { send } from '../support/server/http-client.js';
import { profileConfig } from '../support/server/profile.js';
import { loaded, ROOT, SHARED } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { bodyOf, type HttpCase, problemOf } from './http-case.js';
import { skip } from '../support/skip.js';

const folder = join(SHARED, 'cases');
/** The number of calls in each group. */
const TOTALS: { readonly [group: string]: number } = {
  check: 15,
  schema: 5,
  values: 12,
  json: 11,
  valid: 15,
  limits: 5,
  aux: 15,
  plan: 7,
  info: 8,
  http: 12,
  cors: 5,
  legacy: 3,
  authzen: 7,
};

const test = suite('recorded HTTP calls');

if (existsSync(join(folder, 'http-cases.json'))) addCases();
else skip(import.meta.url, 'the recorded HTTP cases are not here (../shared/cases)');

test.run();

function addCases(): void {
  const { cases } = JSON.parse(readFileSync(join(folder, 'http-cases.json'), 'utf8')) as {
    readonly cases: readonly HttpCase[];
  };
  const servers = new Map<string, RunningServer>();
  test.before(async () => {
    // One of the recorded calls asks for the page, which a fresh clone has not built.
    if (pageFiles().length === 0)
      execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { cwd: ROOT, stdio: 'pipe' });
    // Metrics need a server with observability.
    const nowhere = openSync('/dev/null', 'w');
    const log = openLog({ output: nowhere, errors: nowhere, environment: {} });
    const bundle = await loaded(await compileFolder(join(folder, 'http-cases-policies')));
    for (const profile of ['main', 'limits', 'bare'])
      servers.set(profile, await startServer(profileConfig(folder, profile), bundle, { log }));
  });
  test.after(async () => {
    await Promise.all([...servers.values()].map((server) => server.close()));
  });
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  test('the recorded groups are the expected ones', () => {
    assert.equal([...new Set(cases.map((one) => one.group))], Object.keys(TOTALS));
  });
  for (const [group, total] of Object.entries(TOTALS)) {
    test(`http/${group} is answered as recorded`, async () => {
      const outcomes: Outcome[] = [];
      for (const one of cases.filter((candidate) => candidate.group === group))
        outcomes.push(await replay(one, servers.get(one.profile)));
      settle(`http/${group}`, outcomes, known, total);
    });
  }
}

async function replay(one: HttpCase, server: RunningServer | undefined): Promise<Outcome> {
  const answer = await send(server?.httpAddress ?? '', one.method, one.path, bodyOf(one), one.headers);
  const problem = problemOf(one, answer);
  return { id: `http/${one.group}/${one.id}`, problem: problem && `${one.title}: ${problem}` };
}
