import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { axeViolations, COLOURS } from '../support/browser/axe.js';
import { brokenWords } from './broken-words.js';
import { type Browser, hasBrowser, openBrowser, watchPage } from '../support/browser/browser.js';
import { type StartedServer, startServed } from './start-server.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

const test = suite('the API explorer in a browser');

let server: StartedServer;
let browser: Browser;
let page: Page;
/** Errors in the page, and the hosts that it contacted. */
let pageErrors: string[] = [];
let hosts: Set<string>;

if (hasBrowser()) addTests();
else skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');

test.run();

function addTests(): void {
  test.before(async () => {
    [server, browser] = await Promise.all([startServed(), openBrowser()]);
  });
  test.after(async () => {
    await browser.close();
    await server.close();
  });
  test.before.each(async () => {
    pageErrors = [];
    hosts = new Set();
    page = await browser.context.newPage();
    await watchPage(page, (text) => pageErrors.push(text));
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(server.address);
  });
  test.after.each(async () => {
    await page.close();
    assert.equal(pageErrors, []);
    assert.equal([...hosts], [server.address]);
  });

  test('a check is sent and its response is shown', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200 OK · [\d.]+ ms · \d+ B$/);
    assert.equal(await rowsOf(panel), [
      'delete Denied resource.album.vdefault –',
      'edit Denied resource.album.vdefault –',
      'view Allowed resource.album.vdefault –',
    ]);
    assert.match(await panel.getByLabel('JSON', { exact: true }).innerText(), /"authzCallId": "[0-9A-Z]{26}"/);
    assert.match(
      await panel.getByRole('region', { name: 'Answer' }).innerText(),
      'edit · resource.album.vdefault#locked',
    );
  });

  test('the values of the form are the values of the request', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel
      .getByLabel('Attributes')
      .nth(1)
      .fill('{"owner": "alice", "status": "OPEN", "note": "it\'s <b>bold</b>"}');
    await panel.getByLabel('Actions').fill('view, comment:add');
    await panel.getByLabel('Actions').press('Control+Enter');
    await waitForStatus(panel, /^200/);
    assert.equal(await rowsOf(panel), [
      'comment:add Allowed resource.album.vdefault –',
      'view Allowed resource.album.vdefault –',
    ]);
  });

  test('examples and suggestions come from the policies of the server', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Example').selectOption('kind leave_request');
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200/);
    assert.match((await rowsOf(panel)).join(), 'approve Denied');
    const suggestions = async (label: string): Promise<readonly string[]> => {
      const input = panel.getByRole('combobox', { name: label, exact: true });
      await input.focus();
      const options = panel.locator(`#${await input.getAttribute('list')} option`);
      return Promise.all((await options.all()).map(async (option) => (await option.getAttribute('value')) ?? ''));
    };
    assert.equal(await suggestions('Kind'), ['album', 'contact', 'leave_request']);
    assert.ok((await suggestions('Roles')).includes('employee'));
    await panel.getByRole('combobox', { name: 'Kind', exact: true }).fill('album');
    await panel.getByRole('combobox', { name: 'Actions' }).fill('view,');
    assert.equal(await suggestions('Actions'), ['view, delete', 'view, edit', 'view, view']);
  });

  test('a plan is sent and its filter is shown as a tree', async () => {
    await page.getByRole('tab', { name: 'Plan' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Plan' });
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200/);
    assert.match(await panel.getByRole('region', { name: 'Answer' }).innerText(), 'Allowed where this holds');
    const tree = panel.getByRole('list', { name: 'Filter' });
    assert.equal(linesOf(await tree.innerText()), [
      'or any of',
      'eq resource.attr.owner "alice"',
      'eq resource.attr.visibility "public"',
      'and all of',
      'eq resource.attr.visibility "friends"',
      'in "alice" resource.attr.friends',
    ]);
    await panel.getByLabel('Example').selectOption('alwaysDenied');
    await panel.getByRole('button', { name: 'Send' }).click();
    await panel.getByText('Always denied').waitFor();
  });

  test('a decision is explained to the admin as a tree', async () => {
    await page.context().setHTTPCredentials({ username: 'admin', password: 'open sesame' });
    await page.getByRole('tab', { name: 'Explain' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Explain' });
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200/);
    assert.match(await panel.getByRole('region', { name: 'Answer' }).innerText(), 'Denied no rule allows');
    assert.equal(linesOf(await panel.getByRole('list', { name: 'Rules' }).innerText()), [
      'resource.album.vdefault as user',
      '✘ owners ALLOW its derived role is not active',
      'album.yaml:12',
      '✘ derived role owner',
      'album_roles.yaml:6',
      '✘ R.attr.owner == P.id "alice" == "carol"',
      'album_roles.yaml:10',
      '✘ audience ALLOW does not apply',
      'album.yaml:16',
      '✘ any of',
      '✘ R.attr.visibility == "public" "friends" == "public"',
      'album.yaml:24',
      '✘ all of',
      '✔ R.attr.visibility == "friends" "friends" == "friends"',
      'album.yaml:27',
      '✘ P.id in R.attr.friends "carol" in ["bob"]',
      'album.yaml:28',
    ]);
    await panel.getByText('resource.attr.friends: ["bob"] → ["bob","carol"]').waitFor();
    await panel.getByLabel('Kind', { exact: true }).fill('albun');
    await panel.getByRole('button', { name: 'Send' }).click();
    await panel.getByText('No policy covers kind albun: did you mean album?').waitFor();
    await page.context().setHTTPCredentials(null);
  });

  test('a request with fields that the form lacks is edited as JSON', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Example').selectOption('severalResources');
    assert.is(await panel.getByRole('button', { name: 'JSON' }).getAttribute('aria-pressed'), 'true');
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200/);
    assert.is(await panel.getByRole('table').count(), 2);
    await panel.getByRole('button', { name: 'Form' }).click();
    await panel.getByText('The form cannot show all parts of this request.').waitFor();
  });

  test('the same check by REST, Connect and AuthZEN is decided alike', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Roles').fill('user, curator');
    for (const protocol of ['rest', 'connect', 'authzen']) {
      await panel.getByLabel('Protocol').selectOption(protocol);
      await panel.getByRole('button', { name: 'Send' }).click();
      await panel
        .getByLabel('Command line')
        .filter({ hasText: ROUTES[protocol] ?? '' })
        .waitFor();
      assert.equal(
        (await rowsOf(panel)).map((row) => row.split(' ').slice(0, 2).join(' ')).sort(),
        ['delete Denied', 'edit Denied', 'view Allowed'],
        protocol,
      );
    }
  });

  test('the copied TypeScript returns the same response', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Attributes').first().fill(`{"__proto__": {"a-b": "it's"}, "note": "a \\"b\\": c"}`);
    for (const [protocol, expected] of [
      ['rest', '"view": true'],
      ['authzen', '"evaluations": [ { "decision":'],
    ] as const) {
      await panel.getByLabel('Protocol').selectOption(protocol);
      await panel.getByRole('button', { name: 'Send' }).click();
      await panel
        .getByLabel('Command line')
        .filter({ hasText: ROUTES[protocol] ?? '' })
        .waitFor();
      const text = await panel.getByLabel('TypeScript', { exact: true }).innerText();
      const module = text.replace("'authz/client'", JSON.stringify(join(ROOT, 'packages/client/index.ts')));
      const folder = mkdtempSync(join(tmpdir(), 'authz-snippet-'));
      try {
        writeFileSync(join(folder, 'snippet.mts'), module);
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--import', 'tsx', join(folder, 'snippet.mts')],
          {
            cwd: ROOT,
          },
        );
        assert.match(stdout.replace(/\s+/g, ' '), expected);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  });

  test('attributes that are not valid JSON are not sent', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    const attributes = panel.getByLabel('Attributes').first();
    await attributes.fill('{');
    await panel.getByRole('button', { name: 'Send' }).click();
    await panel.getByText('Expected a JSON object.').waitFor();
    assert.is(await attributes.getAttribute('aria-invalid'), 'true');
    assert.is(await panel.getByRole('table').count(), 0);
  });

  test('an error is shown with the message of the server', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Roles').fill('');
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^400/);
    await panel.getByText('validation error: principal.roles: value is required').first().waitFor();
    // The browser logs every error response.
    assert.ok(pageErrors.every((text) => text.includes('the server responded with a status of 400')));
    pageErrors = [];
  });

  test('the copied curl command returns the same response', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Check' });
    await panel.getByLabel('Attributes').first().fill(`{"name": "O'Hara"}`);
    await panel.getByRole('button', { name: 'Send' }).click();
    await waitForStatus(panel, /^200/);
    await panel.getByRole('button', { name: 'Copy' }).nth(1).click();
    await panel.getByRole('button', { name: 'Copied' }).waitFor();
    // As a string: this project does not include the DOM types.
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(command, /^curl 'http:/);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent --max-time 10`]);
    const { results } = JSON.parse(stdout) as { readonly results: readonly { readonly actions: object }[] };
    assert.equal(results[0]?.actions, { delete: 'EFFECT_DENY', edit: 'EFFECT_DENY', view: 'EFFECT_ALLOW' });
  });

  test('the playground compiles and decides in the page of a server', async () => {
    await page.getByRole('tab', { name: 'Playground' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Playground' });
    await panel.getByText('No problems').waitFor();
    await panel.getByRole('tabpanel', { name: 'Decision' }).getByText('no rule allows').first().waitFor();
    assert.is(await panel.getByRole('textbox', { name: 'Request' }).count(), 1);
    await page.reload();
    await panel.getByText('No problems').waitFor();
  });

  test('the admin loads the policies of the server into the playground', async () => {
    await page.getByRole('tab', { name: 'Playground' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Playground' });
    await panel.getByRole('button', { name: 'Load the policies of the server' }).click();
    await panel.getByRole('option', { name: 'leave_request.yaml' }).waitFor({ state: 'attached' });
    await panel.getByText('No problems').waitFor();
    assert.is(await panel.getByText('The server does not show its policies').count(), 0);
    await panel.getByLabel('File', { exact: true }).selectOption('leave_request.yaml');
    await panel.getByText('resource: leave_request').waitFor();
    const strangers = await fetch(`${server.address}/explorer/policies.json`);
    assert.is(strangers.status, 401);
    assert.not.match(await strangers.text(), 'leave_request');
  });

  test('a server that does not explain tells how to', async () => {
    const other = await startServed(['server.explain.enabled=false', 'server.adminAPI.enabled=false']);
    // The browser logs the status of the answer as an error of the page.
    const context = await browser.newContext();
    try {
      const own = await context.newPage();
      await own.goto(other.address);
      await own.getByRole('tab', { name: 'Explain' }).click();
      const panel = own.getByRole('tabpanel', { name: 'Explain' });
      await panel.getByRole('button', { name: 'Send' }).click();
      await panel.getByText('Admin service is disabled by the configuration').first().waitFor();
      await panel.getByText('`authzc dev` explains without credentials').waitFor();
    } finally {
      await context.close();
      await other.close();
    }
  });

  test('loading the policies of the server resets the file and the request', async () => {
    await page.context().setHTTPCredentials({ username: 'admin', password: 'open sesame' });
    await page.getByRole('tab', { name: 'Playground' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Playground' });
    const request = panel.getByRole('textbox', { name: 'Request' });
    await panel.getByLabel('Example').selectOption('tenants');
    await panel.getByRole('textbox', { name: 'Text of invoice.yaml' }).waitFor();
    assert.match(await request.innerText(), '"kind": "invoice"');
    await panel.getByLabel('File', { exact: true }).selectOption('_schemas/invoice.json');
    await panel.getByRole('button', { name: 'Load the policies of the server' }).click();
    await panel.getByRole('textbox', { name: 'Text of album.yaml' }).waitFor();
    assert.match(await request.innerText(), '"kind": "album"');
    assert.match(await request.innerText(), '"actions": ["delete", "edit", "view"');
    assert.is(await panel.getByLabel('Example').inputValue(), '');
    await panel.getByRole('tabpanel', { name: 'Decision' }).getByText('resource.album.vdefault as').first().waitFor();
    assert.is(await panel.getByText('No resource policy').count(), 0);
    await page.context().setHTTPCredentials(null);
  });

  test('files are compressed, and cached if their name has a hash', async () => {
    const header = async (path: string, name: string, encoding: string): Promise<string | null> => {
      const response = await fetch(server.address + path, { headers: { 'accept-encoding': encoding } });
      assert.is(response.status, 200);
      await response.arrayBuffer();
      return response.headers.get(name);
    };
    const script = '/explorer/explorer.js';
    assert.is(await header(script, 'content-encoding', 'gzip, br'), 'gzip');
    assert.is(await header(script, 'content-encoding', 'br, gzip;q=0'), null);
    assert.match((await header(script, 'vary', '')) ?? '', 'Accept-Encoding');
    for (const path of ['/', script, '/explorer/explorer.css'])
      assert.is(await header(path, 'cache-control', ''), 'no-cache', path);
    const text = await (await fetch(server.address + script)).text();
    const [, chunk = ''] = /import\("\.\/(playground-\w+\.js)"\)/.exec(text) ?? [];
    assert.match((await header(`/explorer/${chunk}`, 'cache-control', '')) ?? '', 'immutable');
  });

  test('everything works with the keyboard, and every control has a name', async () => {
    const tab = page.getByRole('tab', { name: 'Check' });
    await tab.focus();
    await page.keyboard.press('ArrowRight');
    assert.is(await page.getByRole('tab', { name: 'Plan' }).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('ArrowLeft');
    assert.is(await tab.getAttribute('aria-selected'), 'true');
    for (const role of ['textbox', 'combobox', 'checkbox', 'button'] as const) {
      const all = await page.getByRole(role).count();
      assert.ok(all > 0);
      assert.is(await page.getByRole(role, { name: /\S/ }).count(), all, role);
    }
  });

  test('the OpenAPI document is rendered, with the fields of messages and examples', async () => {
    await page.getByRole('tab', { name: 'API' }).click();
    const panel = page.getByRole('tabpanel', { name: 'API' });
    await panel.getByRole('region', { name: 'Administration' }).waitFor();
    const sections = await panel.getByRole('region').all();
    const names = await Promise.all(sections.map((section) => section.getAttribute('aria-label')));
    assert.equal(names, ['Decisions', 'AuthZEN', 'Server', 'Administration']);
    await panel.getByText('POST /api/check/resources', { exact: true }).click();
    const operation = panel.locator('details.operation').first();
    await operation.getByText('resources', { exact: true }).click();
    await operation.getByText('at least 1 item').first().waitFor();
    await operation.getByText('Example:').first().click();
    assert.match(await operation.getByLabel('JSON', { exact: true }).first().innerText(), '"principal"');
    assert.equal(await axeViolations(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await brokenWords(page), []);
  });

  test('axe finds nothing to improve, and a phone shows whole words', async () => {
    for (const name of ['Check', 'Plan', 'Explain']) {
      await page.getByRole('tab', { name }).click();
      const panel = page.getByRole('tabpanel', { name });
      if (name !== 'Explain') {
        await panel.getByRole('button', { name: 'Send' }).click();
        await waitForStatus(panel, /^200/);
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await axeViolations(page, colorScheme === 'dark' ? COLOURS : undefined);
        assert.equal(found, [], `${name}, ${colorScheme}`);
      }
      await page.setViewportSize({ width: 360, height: 740 });
      assert.equal(await brokenWords(page), [], name);
    }
  });

  test('light and dark follow the system setting', async () => {
    const background = async (colorScheme: 'light' | 'dark'): Promise<string> => {
      await page.emulateMedia({ colorScheme });
      return String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    };
    assert.is.not(await background('light'), await background('dark'));
  });
}

const ROUTES: { readonly [protocol: string]: string } = {
  rest: '/api/check/resources',
  connect: '/authz.svc.v1.AuthzService/CheckResources',
  authzen: '/access/v1/evaluations',
};

async function waitForStatus(panel: Locator, text: RegExp): Promise<void> {
  await panel.locator('.status').filter({ hasText: text }).waitFor();
}

async function rowsOf(panel: Locator): Promise<readonly string[]> {
  const rows = await panel.locator('tbody tr').all();
  return Promise.all(rows.map(async (row) => (await row.innerText()).split(/\s+/).join(' ')));
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
