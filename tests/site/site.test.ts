import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBase } from '../../packages/site/base.js';
import { repositoryFiles } from '../../packages/site/files.js';
import { fullText, llmsText, summaryIn, withPointer } from '../../packages/site/llms.js';
import { HOME, type SitePage, listSections } from '../../packages/site/pages.js';
import { axeViolations, COLOURS } from '../support/browser/axe.js';
import { type Browser, hasBrowser, openBrowser } from '../support/browser/browser.js';
import { ROOT } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { EFFORT } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';

const test = suite('documentation site');
const sections = listSections(repositoryFiles);

/** The path of the site on a host that has others: a link that forgets it leads nowhere. */
const BASE = '/docs/authz/';
const FOLDER = mkdtempSync(join(tmpdir(), 'authz-site-'));
const SITE = join(FOLDER, 'below');
/** A few pages of the same site for `/`: what a page is does not depend on the path. */
const AT_ROOT = join(FOLDER, 'root');

/** Where the pages of that site are edited. */
const EDIT = 'https://code.example/authz/edit/main';

const servers: Server[] = [];
let address = '';
let addressAtRoot = '';
let browser: Browser | undefined;
test.before(async () => {
  // Fails for a link between pages that leads nowhere.
  build(['--base', BASE, '--out', SITE]);
  build(['--out', AT_ROOT, '--edit', EDIT, '--pages', 'concepts.md,benchmarks.md,diagnostics/variable__undefined']);
  address = `${await serve(SITE, BASE)}${BASE.slice(0, -1)}`;
  addressAtRoot = await serve(AT_ROOT, '/');
  if (hasBrowser()) browser = await openBrowser();
});
test.after(async () => {
  await browser?.close();
  for (const server of servers) server.close();
  rmSync(FOLDER, { recursive: true, force: true });
});

function build(options: readonly string[]): void {
  execFileSync(
    process.execPath,
    ['--max-semi-space-size=64', '--import', 'tsx', 'packages/site/build.ts', ...options],
    {
      cwd: ROOT,
      stdio: 'pipe',
    },
  );
}

/** Serves a folder below a path, and nothing elsewhere. Returns the origin. */
async function serve(folder: string, base: string): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const path = join(folder, pathname.slice(base.length).replace(/(^|\/)$/, '$1index.html'));
    const type = MEDIA_TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const found = pathname.startsWith(base) && existsSync(path);
    response.writeHead(found ? 200 : 404, { 'Content-Type': type });
    response.end(found ? readFileSync(path) : '');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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

test('the start page has three buttons: start, playground and why', () => {
  const html = readFileSync(join(SITE, 'index.html'), 'utf8');
  const [, buttons = ''] = /<p class="buttons">(.*?)<\/p>/.exec(html) ?? [];
  assert.equal(
    [...buttons.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, `http://site${BASE}`).pathname),
    [`${BASE}first-ten-minutes.html`, `${BASE}playground/index.html`, `${BASE}comparison.html`],
  );
});

test('pages have a link to edit them where the site says where, unless they are generated', () => {
  const linkOn = (folder: string, page: string): string | undefined =>
    /href="([^"]*)"[^>]*>(?:<[^>]*>\s*)*\s*Edit this page/.exec(
      readFileSync(join(folder, page), 'utf8').replaceAll(/<!--.*?-->/g, ''),
    )?.[1];
  assert.is(linkOn(AT_ROOT, 'concepts.html'), `${EDIT}/docs/concepts.md`);
  assert.is(linkOn(AT_ROOT, 'index.html'), `${EDIT}/docs/README.md`);
  assert.is(linkOn(AT_ROOT, 'benchmarks.html'), `${EDIT}/bench/results.md`);
  assert.is(linkOn(AT_ROOT, 'diagnostics/variable__undefined.html'), undefined);
  assert.is(linkOn(SITE, 'concepts.html'), undefined);
});

test('the file of each code block is its title', () => {
  const pages = sections.flatMap(({ pages: shown }) => shown).filter(({ source }) => source.startsWith('docs/'));
  let count = 0;
  for (const { source, path } of pages) {
    const files = readPage(join(ROOT, source)).blocks.flatMap(({ file }) => file ?? []);
    const html = readFileSync(join(SITE, path.replace(/\.md$/, '.html')), 'utf8');
    const titles = [
      ...html.matchAll(/<p class="block-title"><code[^>]*>([^<]*)<\/code>:<\/p>\s*<div class="language-/g),
    ];
    assert.equal(
      titles.map(([, title]) => title),
      files,
      source,
    );
    count += files.length;
  }
  assert.ok(count > 100);
});

test('every link to a heading leads to one', () => {
  const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.html') && !path.startsWith('playground/'),
  );
  const anchors = new Map(
    pages.map((path) => [`${BASE}${path}`, { text: readFileSync(join(SITE, path), 'utf8'), ids: new Set<string>() }]),
  );
  for (const { text, ids } of anchors.values()) {
    for (const [, id = ''] of text.matchAll(/ id="([^"]+)"/g)) ids.add(id);
  }
  const links = [...anchors].flatMap(([path, { text }]) =>
    [...text.matchAll(/ href="([^":]*#[^"]+)"/g)]
      .map(([, href = '']) => ({ path, url: new URL(href, `http://site${path}`) }))
      // What the playground opens is in the fragment (packages/site/playground-link.test.ts).
      .filter(({ url }) => !url.pathname.startsWith(`${BASE}playground/`)),
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
    const line = text.split('\n').find((one) => one.includes(`](${BASE}${path}): `));
    assert.ok(line !== undefined && line.length > 60, source);
    assert.match(readFileSync(join(SITE, path), 'utf8'), /^# /m);
  }
  assert.is(summaryIn('# T\n\n| a |\n\nSee [b](c.md)\nand `d`:\n\n- e'), 'See b and `d`.');
});

test('llms-full.txt has every page once, and both texts are the same for `/`', () => {
  const text = readFileSync(join(SITE, 'llms-full.txt'), 'utf8');
  const home = HOME;
  const pages = [home, ...sections.flatMap(({ pages: shown }) => shown), ...sections.flatMap(({ more }) => more)];
  const found = [...text.matchAll(/^<!-- page: (\S+) -->$/gm)].map(([, path]) => path);
  assert.equal([...found].sort(), pages.map(({ path }) => `${BASE}${path}`).sort());
  const pointer = withPointer('', BASE);
  const textOf = ({ path }: SitePage): string => {
    const page = readFileSync(join(SITE, path), 'utf8');
    assert.ok(page.startsWith(pointer), path);
    return page.slice(pointer.length);
  };
  for (const path of ['concepts.md', 'benchmarks.md'])
    assert.ok(text.includes(textOf({ path, source: '', title: '' }).trim()), path);
  const summaryOf = ({ source }: SitePage): string => summaryIn(repositoryFiles.read(source));
  const atRoot = { 'llms.txt': llmsText(sections, summaryOf, '/'), 'llms-full.txt': fullText(pages, textOf, '/') };
  for (const [file, expected] of Object.entries(atRoot)) {
    const below = readFileSync(join(SITE, file), 'utf8');
    const moved = below.replaceAll(`<!-- page: ${BASE}`, '<!-- page: /').replaceAll(`](${BASE}`, '](/');
    assert.ok(moved === expected, `${file} differs`);
  }
});

test('a site below a path names nothing outside of it', () => {
  const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
  const links = pages.flatMap((path) =>
    [...readFileSync(join(SITE, path), 'utf8').matchAll(/ (?:href|src)="([^":#]+)[^":]*"/g)].map(([, link = '']) => ({
      path,
      link,
      target: new URL(link, `http://site${BASE}${path}`).pathname,
    })),
  );
  assert.ok(links.length > 1_000);
  const isThere = (target: string): boolean => {
    const file = join(SITE, target.slice(BASE.length).replace(/(^|\/)$/, '$1index.html'));
    return target.startsWith(BASE) && (existsSync(file) || existsSync(`${file}.html`));
  };
  const broken = links.filter(({ path, target }) => !path.startsWith('playground/') && !isThere(target));
  assert.equal([...new Set(broken.map(({ path, link }) => `${path}: ${link}`))], []);
});

test('the path of a site starts and ends with a slash', () => {
  const refusal = /--base: must start and end with/;
  for (const base of ['docs/', '/docs', '//host/', '/a"b/']) assert.throws(() => parseBase(base), refusal);
  for (const base of ['/', BASE, '/v1.2/my-docs/']) assert.is(parseBase(base), base);
  assert.throws(() => build(['--base', 'docs/']), refusal);
});

test('pages are read and searched without another host, in light and dark', async () => {
  if (browser === undefined) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(response.url());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith('data:')) problems.push(request.url());
    });
    for (const [path, title] of [
      ['/', 'authz'],
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
    const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.locator('button.VPSwitchAppearance').first().click();
    assert.is.not(await background(), light);

    await page.keyboard.press('Control+k');
    // A page that explains comes before those that are looked up by name.
    await page.locator('#localsearch-input').fill('tenant');
    await page.locator('.result .title', { hasText: 'tenant' }).first().waitFor();
    assert.match(
      await page.locator('.result').first().locator('.titles').innerText(),
      /roles of tenants|multi-tenant/i,
    );
    // The theme's dialog is a button, and its options contain links.
    assert.equal(
      (await axeViolations(page)).filter((violation) => violation.startsWith('nested-interactive')),
      [],
    );
    const selected = page.getByRole('dialog', { name: 'Search' }).getByRole('option', { selected: true });
    await page.keyboard.press('ArrowDown');
    await until(async () => (await selected.getAttribute('data-index')) === '1', 'the second result is selected');
    assert.is(
      await page.locator('#localsearch-input').getAttribute('aria-activedescendant'),
      await selected.getAttribute('id'),
    );
    await page.locator('#localsearch-input').fill('');
    await page.locator('.result').first().waitFor({ state: 'detached' });
    await page.locator('#localsearch-input').fill('parental consent');
    const found = page.locator('.result').first();
    // Results of the text before may still come.
    await until(async () => /consent/i.test(await found.innerText()), 'a first result about consent');
    await found.click();
    await page.waitForURL((url) => url.pathname.startsWith(BASE) && !url.pathname.endsWith('/concepts.html'));
    await page.locator('.VPNavBar a', { hasText: 'Benchmarks' }).first().click();
    await page.waitForURL(`${address}/benchmarks.html`);
    // The address changes before the page does.
    await page.locator('h1', { hasText: 'Benchmarks' }).waitFor();
    await page.goto(`${address}/playground/index.html`, { waitUntil: 'networkidle' });
    assert.match(await page.title(), 'authz');
    await page.locator('.cm-content').first().waitFor();
    assert.equal(problems, []);
  } finally {
    await context.close();
  }
});

test('pages of every kind are accessible in light and dark', async () => {
  if (browser === undefined) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    for (const path of KINDS_OF_PAGES) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${address}${path}`, { waitUntil: 'networkidle' });
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
        const found = await axeViolations(page, theme === 'dark' ? COLOURS : undefined);
        const unknown = found.filter((violation) => !KNOWN.some((id) => violation.startsWith(id)));
        assert.equal(unknown, [], `${path}, ${theme}`);
      }
    }
  } finally {
    await context.close();
  }
});

/** A start page, diagrams, tables, a long reference, code in several languages, a page of a list, figures. */
const KINDS_OF_PAGES: readonly string[] = [
  '/',
  '/concepts.html',
  '/configuration.html',
  // It takes as long as the others together.
  ...(EFFORT === 'quick' ? [] : ['/spec/policy-language.html']),
  '/guides/multi-tenant.html',
  '/comparison.html',
  '/command-line.html',
  '/diagnostics/',
  '/playground.html',
  '/benchmarks.html',
];

test('a site for `/` is read and searched, and its playground works', async () => {
  if (browser === undefined) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(response.url());
    });
    await page.goto(`${addressAtRoot}/`, { waitUntil: 'networkidle' });
    await page.locator('.VPNavBar a', { hasText: 'Benchmarks' }).first().click();
    await page.waitForURL(`${addressAtRoot}/benchmarks.html`);
    await page.locator('h1', { hasText: 'Benchmarks' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill('concepts');
    await page.locator('.result').first().waitFor();
    await page.goto(`${addressAtRoot}/playground/index.html`, { waitUntil: 'networkidle' });
    await page.locator('.cm-content').first().waitFor();
    assert.equal(problems, []);
  } finally {
    await context.close();
  }
});

/** What axe says of parts of the theme: the button of the search shows its keys, which its label leaves out. */
const KNOWN: readonly string[] = ['label-content-name-mismatch '];

test.run();
