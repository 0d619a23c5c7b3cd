import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { linkPackage } from '../support/docs/package-link.js';
import { closeBrowser, hasBrowser, inBrowser } from '../support/platforms/browser.js';
import { isInstalled, RUNTIMES } from '../support/platforms/runtimes.js';
import { hasWorker, inWorker } from '../support/platforms/worker.js';
import { skip } from '../support/skip.js';

/** The programs of docs/runtimes.md, in the runtimes that the page names. `tests/docs` runs the page itself in Node. */
const test = suite('docs/runtimes.md');

const run = promisify(execFile);
const page = readPage(join(ROOT, 'docs/runtimes.md'));
let project = '';

test.before(async () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  project = mkdtempSync(join(ROOT, '.cache', 'runtimes-'));
  for (const { file: path, text } of page.blocks) {
    if (path === undefined) continue;
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  await linkPackage(project, PROGRAMS.authzc);
  await run(process.execPath, [PROGRAMS.authzc, 'compile', 'policies', '--bundle', 'dist/policies.js'], {
    cwd: project,
  });
});

test.after(() => rmSync(project, { recursive: true, force: true }));

test('src/buttons.js prints what the page shows, with the part of the policies that client.yaml names', async () => {
  const words = ['compile', 'policies', '--client', 'client.yaml', '--client-out', 'dist/client.js'];
  await run(process.execPath, [PROGRAMS.authzc, ...words], { cwd: project });
  const { stdout } = await run(process.execPath, ['src/buttons.js'], { cwd: project });
  const shown = page.blocks.find(({ text }) => text.startsWith('$ node src/buttons.js\n'))?.text;
  assert.is(`$ node src/buttons.js\n${stdout}`, shown);
  assert.ok(page.blocks.some(({ text }) => text.includes(`npx authzc ${words.join(' ')}\n`)));
});

for (const runtime of RUNTIMES)
  test(`src/main.js prints in ${runtime.name} what the page shows for Node`, async () => {
    if (!isInstalled(runtime)) return skip(import.meta.url, `${runtime.name} is not installed (.ci/run does)`);
    const { stdout } = await run(runtime.program, [...runtime.words, 'src/main.js'], { cwd: project });
    const shown = page.blocks.find(({ text }) => text.startsWith('$ node src/main.js\n'))?.text;
    assert.is(`$ node src/main.js\n${stdout}`, shown);
  });

test('src/worker.js answers in workerd', async () => {
  if (!hasWorker) return skip(import.meta.url, 'workerd is not installed');
  const program = await bundled(`import worker from './src/worker.js';
    const ask = (user, path) => worker.fetch(new Request('http://worker' + path, { headers: { 'x-user': user } }));
    export const answers = async () => JSON.stringify([
      await ask('ann', '/').json(), await ask('ann', '/d1').json(), ask('ann', '/d2').status, ask('', '/').status,
    ]);`);
  assert.equal(JSON.parse(await inWorker(program)), [
    ['d1', 'd3'],
    { id: 'd1', author: 'ann', shared: false, mayEdit: true },
    404,
    401,
  ]);
});

test.after(closeBrowser);

test('src/page.js shows the list in public/index.html, which forbids eval', async () => {
  if (!hasBrowser) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
  const program = await bundled(`import './src/page.js';
    export const answers = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent).join();`);
  const html = page.blocks.find(({ file }) => file === 'public/index.html')?.text;
  assert.equal(await inBrowser(program, html), { forbids: true, text: 'd1 (edit),d3' });
});

test.run();

/** The program as the bundlers of applications make it. */
async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
