import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/free-port.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';

/** Where `.ci/run` installs Next.js. The application is below it, where Next.js finds itself. */
const FOLDER = join(ROOT, '.cache/next');
const NEXT = join(FOLDER, 'node_modules/next/dist/bin/next');

const FILES: { readonly [path: string]: string } = {
  'package.json': '{"private": true, "type": "module"}',
  'next.config.mjs': `import { dirname } from 'node:path';
export default { turbopack: { root: dirname(import.meta.dirname) } };
`,
  'authz.js': `import { inProcessClient } from 'authz/client';
import { nextGuard } from 'authz/middleware/next';
import { policies } from './policies.js';

export const guard = nextGuard({
  client: inProcessClient(policies),
  principal: ({ request }) => {
    const id = request.headers.get('x-user');
    return id === null ? undefined : { id, roles: ['user'] };
  },
});
export const albumOf = ({ params }) =>
  params.id === 'none'
    ? undefined
    : { kind: 'album', id: params.id, attr: { owner: 'anna', visibility: params.id, friends: [], status: 'OPEN' } };
`,
  'app/albums/[id]/route.js': `import { albumOf, guard } from '../../../authz.js';

export const GET = guard({ action: 'view', also: ['edit'], resource: albumOf }, ({ request, decision }) =>
  Response.json({ allowed: decision.allowed, path: request.nextUrl.pathname }));
export const DELETE = guard({ action: 'delete', hiddenWithout: 'view', resource: albumOf }, () =>
  Response.json('deleted'));
`,
};

const test = suite('guards for Next.js in an application');

test('a guard decides requests of route handlers', async () => {
  if (!existsSync(NEXT)) return skip(import.meta.url, 'Next.js is not installed (.ci/run does)');
  const folder = mkdtempSync(join(FOLDER, 'application-'));
  let program: ChildProcess | undefined;
  try {
    await writeApplication(folder);
    const port = await freePort();
    program = spawn(process.execPath, [NEXT, 'dev', '--hostname', '127.0.0.1', '--port', String(port)], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    });
    const output: string[] = [];
    for (const stream of [program.stdout, program.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
    const ask = async (method: string, id: string, user?: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/albums/${id}`, {
        method,
        headers: user === undefined ? {} : { 'x-user': user },
      });
      return { status: response.status, body: await response.text() };
    };
    await answers(program, () => ask('GET', 'none', 'bob'), output);

    const viewed = await ask('GET', 'public', 'bob');
    assert.is(viewed.status, 200, output.join(''));
    assert.equal(JSON.parse(viewed.body), { allowed: { view: true, edit: false }, path: '/albums/public' });
    assert.is((await ask('GET', 'private', 'bob')).status, 403);
    assert.is((await ask('GET', 'public')).status, 401);
    const [hidden, missing] = [await ask('DELETE', 'private', 'bob'), await ask('DELETE', 'none', 'bob')];
    assert.is(hidden.status, 404);
    assert.equal(hidden, missing);
    assert.equal(await ask('DELETE', 'private', 'anna'), { status: 200, body: '"deleted"' });
  } finally {
    await ended(program);
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();

/** With the library as a package, and the policies as one module. */
async function writeApplication(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const options = { bundle: true, format: 'esm', platform: 'node', logLevel: 'error', absWorkingDir: ROOT } as const;
  const library = join(folder, 'node_modules/authz');
  await build({
    ...options,
    entryPoints: { client: 'packages/client/index.ts', next: 'packages/middleware/next.ts' },
    outdir: library,
    splitting: true,
  });
  await build({ ...options, entryPoints: ['generated/index.ts'], outfile: join(folder, 'policies.js') });
  writeFileSync(
    join(library, 'package.json'),
    JSON.stringify({
      name: 'authz',
      type: 'module',
      exports: { './client': './client.js', './middleware/next': './next.js' },
    }),
  );
}

/** Waits until the program accepts connections. The first answer comes once the route is compiled. */
function answers(program: ChildProcess, ask: () => Promise<unknown>, output: readonly string[]): Promise<void> {
  return until(
    () => {
      if (program.exitCode !== null) throw new Error(`next ended: ${output.join('')}`);
      return ask().then(
        () => true,
        () => false,
      );
    },
    () => `an answer of next: ${output.join('')}`,
    100,
  );
}

async function ended(program: ChildProcess | undefined): Promise<void> {
  if (program === undefined || program.exitCode !== null || program.signalCode !== null) return;
  const closed = new Promise((resolve) => program.once('close', resolve));
  program.kill('SIGTERM');
  await closed;
}
