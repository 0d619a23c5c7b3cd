import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { skip } from '../support/skip.js';
import { axeViolations } from '../support/browser/axe.js';
import { brokenWords } from './broken-words.js';
import { type Browser, hasBrowser, openBrowser } from '../support/browser/browser.js';
import type { StartedServer } from './start-server.js';
import { startStatic } from './static-server.js';

const test = suite('the playground in a browser, as static files');

const NOTE = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - name: readers
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.level <= P.attr.clearance } }
`;

let server: StartedServer;
let browser: Browser;
let page: Page;
let pageErrors: string[] = [];

if (hasBrowser()) addTests();
else skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');

test.run();

function addTests(): void {
  test.before(async () => {
    [server, browser] = await Promise.all([startStatic(), openBrowser()]);
  });
  test.after(async () => {
    await browser.close();
    await server.close();
  });
  test.before.each(async () => {
    pageErrors = [];
    page = await browser.context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') pageErrors.push(message.text());
    });
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('requestfailed', (request) => pageErrors.push(`${request.url()} failed`));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== server.address) pageErrors.push(`${request.url()} is another host`);
    });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('policy violated: ' + event.violatedDirective))",
    );
    await page.goto(server.address);
    await page.getByText('No problems').waitFor();
  });
  test.after.each(async () => {
    await page.close();
    // Once: after a failed test this hook is called again.
    const errors = pageErrors.splice(0);
    assert.equal(errors, []);
  });

  test('a request is decided and explained in the page', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Decision' });
    assert.match(await panel.innerText(), /^view\nDenied no rule allows\n/);
    await write(
      'Request',
      '{"principal": {"id": "carol", "roles": ["user"]}, "actions": ["view"], "resource": {"kind": "album", "id": "a", "attr": {"visibility": "public"}}}',
    );
    await panel.getByText('by resource.album.vdefault#audience album.yaml:16').waitFor();
    assert.match(await panel.innerText(), /^view\nAllowed by/);
  });

  test('a request that is not valid is refused with a reason', async () => {
    const panel = page.getByRole('tabpanel', { name: 'Decision' });
    for (const [text, reason] of [
      ['{', 'request: '],
      ['{"principal": {"id": "a", "roles": "user"}}', 'request: `resource` must be an object'],
      [
        '{"principal": {"id": "a", "roles": "user"}, "resource": {"kind": "k", "id": "r"}, "actions": ["x"]}',
        'request: `principal.roles` must be a list of strings',
      ],
      ['{"principle": {}}', 'request: the request has an unknown field `principle`'],
    ] as const) {
      await write('Request', text);
      await panel.getByText(reason).waitFor();
      assert.is(await panel.getByText('no rule allows').count(), 0);
    }
  });

  test('an error is shown with its place, which a click goes to', async () => {
    await write('Text of album.yaml', NOTE.replace('R.attr.level <=', 'R.attr.level <'.concat('= nothing +')));
    await page.getByText(/^1 error/).waitFor();
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('listitem').first();
    assert.match(await problem.innerText(), /^album\.yaml:10:\d+ error\[[a-z/-]+\]: /);
    await page.getByRole('tabpanel', { name: 'Decision' }).getByText('The policies do not compile').waitFor();
    await page.getByRole('combobox', { name: 'File' }).selectOption('album_roles.yaml');
    await problem.getByRole('button').click();
    await page.getByRole('textbox', { name: 'Text of album.yaml' }).waitFor();
    assert.is(await page.getByRole('combobox', { name: 'File' }).inputValue(), 'album.yaml');
  });

  test('plans are shown as a tree and as SQL for each dialect', async () => {
    await page.getByRole('tab', { name: 'Plan' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Plan' });
    assert.match(
      await panel.getByRole('list', { name: 'Filter' }).first().innerText(),
      'eq resource.attr.owner "alice"',
    );
    const sql = panel.getByLabel('SQL', { exact: true });
    assert.match(await sql.first().innerText(), 'json_each');
    await panel.getByRole('combobox', { name: 'SQL dialect' }).selectOption('postgresql');
    assert.match(await sql.first().innerText(), 'albums.friends @> to_jsonb($4::text)');
    await panel.getByRole('combobox', { name: 'SQL dialect' }).selectOption('mysql');
    await panel.getByText('Not in this dialect:').waitFor();
  });

  test('the generated TypeScript is shown', async () => {
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const panel = page.getByRole('tabpanel', { name: 'TypeScript' });
    await panel.locator('.tok-keyword').first().waitFor();
    assert.match(await panel.getByLabel('Generated TypeScript').innerText(), 'export const album = resourcePolicy(');
    await panel.getByRole('combobox', { name: 'Generated file' }).selectOption('resource/album.where.ts');
    assert.match(await panel.getByLabel('Generated TypeScript').innerText(), 'export const albumWhere: Filters = [');
  });

  test('tests run, and those that fail are listed', async () => {
    await page.getByRole('tab', { name: 'Tests' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Tests' });
    await panel.getByText('4 passed').waitFor();
    await page.getByRole('combobox', { name: 'File' }).selectOption('album_test.yaml');
    const suiteText = page.getByRole('textbox', { name: 'Text of album_test.yaml' });
    await write(
      'Text of album_test.yaml',
      (await suiteText.innerText()).replace('{ view: EFFECT_ALLOW }', '{ view: EFFECT_DENY }'),
    );
    await panel.getByText('expected EFFECT_DENY, got EFFECT_ALLOW').waitFor();
    assert.match(await panel.innerText(), '3 passed, 1 failed');
  });

  test('files are added and deleted, and schemas are read', async () => {
    await page.getByRole('textbox', { name: 'New file' }).fill('note.yaml');
    await page.getByRole('button', { name: 'Add' }).click();
    await write(
      'Text of note.yaml',
      NOTE.replace('  rules:', "  schemas: { resourceSchema: { ref: 'authz:///note.json' } }\n  rules:"),
    );
    await page
      .getByText(/note\.json/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'New file' }).fill('_schemas/note.json');
    await page.getByRole('button', { name: 'Add' }).click();
    await write(
      'Text of _schemas/note.json',
      '{"type": "object", "required": ["level"], "properties": {"level": {"type": "number"}}}',
    );
    await page.getByText(/^(?:No problems|\d warnings?)$/).waitFor();
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByText(/^1 error/).waitFor();
    assert.match(await page.getByRole('list', { name: 'Problems' }).innerText(), /^note\.yaml:\d+:\d+ error\[schema\//);
  });

  test('a link has the files and the request', async () => {
    await write('Text of album.yaml', NOTE);
    await page
      .getByText(/warning/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Link copied' }).waitFor();
    const address = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(address, /\/#playground=[\w-]+$/);
    await page.goto('about:blank');
    await page.goto(address);
    await page
      .getByText(/warning/)
      .first()
      .waitFor();
    assert.match(await page.getByRole('textbox', { name: 'Text of album.yaml' }).innerText(), 'resource: note');
  });

  test('a link that is damaged, or unpacks to too much, shows the example and a reason', async () => {
    const bomb = String(
      await page.evaluate(`(async () => {
        const text = JSON.stringify({ files: [['a.yaml', ' '.repeat(5_000_000)]], request: '' });
        const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
      })()`),
    );
    for (const state of ['%%%', 'AAAA', bomb, 'A'.repeat(40_000)]) {
      await page.goto('about:blank');
      await page.goto(`${server.address}/#playground=${state}`);
      await page.getByText('The link cannot be read, so this is the example').waitFor();
      await page.getByText('No problems').waitFor();
      assert.is(await page.getByRole('combobox', { name: 'File' }).inputValue(), 'album.yaml');
    }
  });

  test('axe finds nothing to improve, light and dark, and a phone shows whole words', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const tab of ['Decision', 'Plan', 'TypeScript', 'Tests']) {
        await page.getByRole('tab', { name: tab }).click();
        assert.equal(await axeViolations(page), [], `${tab}, ${colorScheme}`);
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    for (const tab of ['Decision', 'Plan', 'TypeScript', 'Tests']) {
      await page.getByRole('tab', { name: tab }).click();
      assert.equal(await brokenWords(page), [], tab);
    }
  });

  test('the keyboard reaches every control and leaves the editors', async () => {
    await page.getByRole('button', { name: 'Copy link' }).focus();
    const visited: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      await page.keyboard.press('Tab');
      visited.push(
        String(
          await page.evaluate(`(() => {
            const inner = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
            return inner.getAttribute('aria-label') ?? inner.labels?.[0]?.textContent ?? inner.textContent;
          })()`),
        ),
      );
    }
    assert.equal(visited, [
      'File',
      'Delete file',
      'Text of album.yaml',
      'New file',
      'Add',
      'Request',
      'Decision',
      'resource.album.vdefault as user',
    ]);
  });
}

/** Pastes into an editor: text that a driver types there brings inline styles of the browser, which the page forbids. */
async function write(editor: string, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByRole('textbox', { name: editor }).focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+V');
}
