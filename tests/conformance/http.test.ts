import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { compileFolder } from '../../compiler/cli/compile-command.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { send } from '../server/http-client.js';
import { profileConfig } from '../server/profile.js';
import { loaded, SHARED } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { bodyOf, type HttpCase, problemOf } from './http-case.js';
import { skip } from '../support/skip.js';

const folder = join(SHARED, 'cases');
const test = suite('recorded HTTP calls');

if (existsSync(join(folder, 'http-cases.json'))) addCases();
else skip(import.meta.url, 'the recorded HTTP cases are not here (../shared/cases)');

test.run();

function addCases(): void {
  const { cases } = JSON.parse(readFileSync(join(folder, 'http-cases.json'), 'utf8')) as { readonly cases: readonly HttpCase[] };
  const servers = new Map<string, RunningServer>();
  test.before(async () => {
    // Metrics are those of a server that is watched.
    const nowhere = openSync('/dev/null', 'w');
    const log = openLog({ output: nowhere, errors: nowhere, environment: {} });
    const bundle = await loaded(await compileFolder(join(folder, 'http-cases-policies')));
    for (const profile of ['main', 'limits', 'bare']) servers.set(profile, await startServer(profileConfig(folder, profile), bundle, { log }));
  });
  test.after(async () => {
    await Promise.all([...servers.values()].map((server) => server.close()));
  });
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  for (const group of new Set(cases.map((one) => one.group))) {
    test(`http/${group} is answered as recorded`, async () => {
      const outcomes: Outcome[] = [];
      for (const one of cases.filter((candidate) => candidate.group === group)) outcomes.push(await replay(one, servers.get(one.profile)));
      settle(`http/${group}`, outcomes, known);
    });
  }
}

async function replay(one: HttpCase, server: RunningServer | undefined): Promise<Outcome> {
  const answer = await send(server?.httpAddress ?? '', one.method, one.path, bodyOf(one), one.headers);
  const problem = problemOf(one, answer);
  return { id: `http/${one.group}/${one.id}`, problem: problem && `${one.title}: ${problem}` };
}
