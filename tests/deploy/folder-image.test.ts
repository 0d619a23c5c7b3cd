import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { CHECK, documentPolicy } from '../support/cli/policies.js';
import { folderOf, launch, PROGRAMS, run, stop } from '../support/cli/programs.js';
import { send } from '../support/server/http-client.js';
import { until } from '../support/timeout.js';

/** The stage `folder` of the Dockerfile: its files, without a container, do what the image is for. */
const test = suite('the image that serves a folder');

const STAGE = (/^FROM \S+ AS folder\n([\s\S]*?)(?=^FROM )/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ??
  [])[1] as string;
let image = '';
test.before(() => {
  image = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  for (const [, source = '', target = ''] of STAGE.matchAll(/^COPY --from=production \/src\/(\S+) (\S+)$/gm)) {
    const to = join(image, target.endsWith('/') ? `${target}${source}` : target);
    mkdirSync(dirname(to), { recursive: true });
    // Links of large folders would lead out of the image again.
    if (source === 'node_modules') symlinkSync(join(ROOT, source), to);
    else cpSync(source === 'dist' ? dirname(PROGRAMS.authzc) : join(ROOT, source), to, { recursive: true });
  }
});
test.after(() => rmSync(image, { recursive: true, force: true }));

test('it serves the mounted folder under the names of the reference PDP, and follows changes', async () => {
  const [program = '', ...command] = [...listOf('ENTRYPOINT').slice(1), ...listOf('CMD')];
  const server = launch(
    join(image, program),
    [...command, '--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'],
    image,
  );
  try {
    const [, http = '', grpc = ''] = /http:\/\/(\S+), gRPC on (\S+)$/.exec(await server.firstLine) ?? [];
    assert.is((await send(http, 'GET', '/_cerbos/health')).status, 200);
    const answer = async (): Promise<string> =>
      (await send(http, 'POST', '/api/check/resources', JSON.stringify(CHECK))).text;
    assert.match(await answer(), '"view":"EFFECT_ALLOW"');
    const [health = '', ...words] = listOf('HEALTHCHECK').slice(1);
    const healthy = await run(join(image, health), words, image, {
      AUTHZ_HC_NOTLS: 'true',
      AUTHZ_HC_HOSTPORT: grpc,
    });
    assert.equal([healthy.code, healthy.stdout], [0, 'SERVING\n'], healthy.stderr);
    writeFileSync(join(image, 'policies/document.yaml'), documentPolicy('edit'));
    await until(async () => (await answer()).includes('"edit":"EFFECT_ALLOW"'), server.said);
  } finally {
    await stop(server);
  }
});

test('the program of the reference PDP is there, and runs what the entry point runs', () => {
  const [line = '', ...text] = readFileSync(join(image, 'cerbos'), 'utf8').split('\n');
  assert.is(line, `#!${listOf('ENTRYPOINT')[0]}`);
  assert.match(text.join('\n'), `import("${listOf('ENTRYPOINT')[1]}")`);
  assert.match(STAGE, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.match(STAGE, /^WORKDIR \/$/m);
});

test.run();

/** The words of an instruction that is written as a list. */
function listOf(instruction: string): readonly string[] {
  const [, list = '[]'] = new RegExp(`^${instruction} .*?(\\[.*\\])$`, 'm').exec(STAGE) ?? [];
  return JSON.parse(list) as readonly string[];
}
