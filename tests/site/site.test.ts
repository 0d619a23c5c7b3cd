import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryFiles } from '../../site/files.js';
import { summaryIn } from '../../site/llms.js';
import { sectionsOf } from '../../site/pages.js';
import { axeViolations } from '../support/browser/axe.js';
import { type Browser, hasBrowser, openBrowser } from '../support/browser/browser.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

const test = suite('documentation site');
const SITE = join(ROOT, 'dist/site');
const sections = sectionsOf(repositoryFiles);

let server: Server;
let address = '';
test.before(async () => {
  // Fails for a link between pages that leads nowhere.
  execFileSync(process.execPath, ['--import', 'tsx', 'site/build.ts'], { cwd: ROOT, stdio: 'pipe' });
  server = createServer(({ url = '/' }, response) => {
    const path = join(SITE, new URL(url, 'http://site').pathname.replace(/\/$/, '/index.html'));
    const type = MEDIA_TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    response.writeHead(existsSync(path) ? 200 : 404, { 'Content-Type': type });
    response.end(existsSync(path) ? readFileSync(path) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.after(() => {
  server.close();
});

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
};

test('every page of the documentation is on the site once, and has its file', () => {
  const pages = sections.flatMap(({ pages, more }) => [...pages, ...more]);
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
    .map((path) => `docs/${path}`);
  assert.equal(
    pages
      .map(({ source }) => source)
      .filter((source) => source.startsWith('docs/'))
      .sort(),
    docs.sort(),
  );
  assert.equal(
    pages.filter(({ path }) => !existsSync(join(SITE, path.replace(/\.md$/, '.html')))).map(({ path }) => path),
    [],
  );
});

test('every link to a heading leads to one', () => {
  const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.html') && !path.startsWith('playground/'),
  );
  const anchors = new Map(
    pages.map((path) => [`/${path}`, { text: readFileSync(join(SITE, path), 'utf8'), ids: new Set<string>() }]),
  );
  for (const { text, ids } of anchors.values()) {
    for (const [, id = ''] of text.matchAll(/ id="([^"]+)"/g)) ids.add(id);
  }
  const links = [...anchors].flatMap(([path, { text }]) =>
    [...text.matchAll(/ href="([^":]*#[^"]+)"/g)].map(([, href = '']) => ({
      path,
      url: new URL(href, `http://site${path}`),
    })),
  );
  assert.ok(links.length > 1_000);
  const broken = links.filter(({ url: { pathname, hash } }) => {
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    return !(anchors.get(file) ?? anchors.get(`${file}.html`))?.ids.has(decodeURIComponent(hash.slice(1)));
  });
  assert.equal(
    broken.map(({ path, url }) => `${path}: ${url.pathname}${url.hash}`),
    [],
  );
});

test('llms.txt names each page of the navigation, with what it is about', () => {
  const text = readFileSync(join(SITE, 'llms.txt'), 'utf8');
  for (const { path, source } of sections.flatMap(({ pages }) => pages)) {
    const line = text.split('\n').find((one) => one.includes(`](/${path}): `));
    assert.ok(line !== undefined && line.length > 60, source);
    assert.match(readFileSync(join(SITE, path), 'utf8'), /^# /m);
  }
  assert.is(summaryIn('# T\n\n| a |\n\nSee [b](c.md)\nand `d`:\n\n- e'), 'See b and `d`.');
});

test('pages are read and searched without another host, in light and dark', async () => {
  if (!hasBrowser()) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
  const browser: Browser = await openBrowser();
  try {
    const page = await browser.context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    for (const [path, title] of [
      ['/', 'Documentation'],
      ['/concepts.html', 'Concepts'],
      ['/benchmarks.html', 'Benchmarks'],
      ['/diagnostics/', 'Diagnostics'],
      ['/guides/multi-tenant.html', 'Multi-tenant applications'],
    ] as const) {
      await page.goto(`${address}${path}`, { waitUntil: 'networkidle' });
      assert.match((await page.locator('h1').innerText()).replace(/\W+$/, ''), title);
    }
    await page.goto(`${address}/concepts.html`, { waitUntil: 'networkidle' });
    assert.is(await page.locator('.diagram svg').count(), 2);
    const serious = (await axeViolations(page)).filter((violation) => !KNOWN.some((id) => violation.startsWith(id)));
    assert.equal(serious, []);
    const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.locator('button.VPSwitchAppearance').first().click();
    assert.is.not(await background(), light);

    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill('parental consent');
    const found = page.locator('.result').first();
    await found.waitFor();
    assert.match(await found.innerText(), /consent/i);
    await page.goto(`${address}/playground/index.html`, { waitUntil: 'networkidle' });
    assert.match(await page.title(), 'authz');
    assert.equal(problems, []);
  } finally {
    await browser.close();
  }
});

/** What axe says of parts of the theme: the button of the search shows its keys, which its label leaves out. */
const KNOWN: readonly string[] = ['label-content-name-mismatch '];

test.run();
