import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';
import { axeViolations, COLOURS } from '../support/browser/axe.js';
import { brokenWords } from './broken-words.js';
import { type Browser, hasBrowser, openBrowser, watchPage } from '../support/browser/browser.js';
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
    await watchPage(page, (text) => pageErrors.push(text));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== server.address) pageErrors.push(`${request.url()} is another host`);
    });
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
    assert.match(await panel.innerText(), /^view\nedit\nview\nAllowed by .*\n[\s\S]*\nedit\nDenied no rule allows\n/);
    await write(
      'Request',
      '{"principal": {"id": "carol", "roles": ["user"]}, "actions": ["edit"], "resource": {"kind": "album", "id": "a", "attr": {"owner": "carol"}}}',
    );
    await panel.getByText('by resource.album.vdefault#owners at album.yaml:12').waitFor();
    assert.match(await panel.innerText(), /^edit\nAllowed by/);
  });

  test('policies, request and decision are on one screen', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const name of ['Policies', 'Request', 'Results']) {
      const box = await page.getByRole('region', { name, exact: true }).boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 800 && box.height > 200, name);
    }
    const isWhole = 'document.documentElement.scrollHeight <= innerHeight';
    assert.is(await page.evaluate(isWhole), true);
  });

  test('panes are resized with the keyboard and the pointer, and fold', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const widthOf = async (): Promise<number> =>
      (await page.getByRole('region', { name: 'Policies' }).boundingBox())?.width ?? 0;
    const line = page.getByRole('separator', { name: 'Width of the policies and the request' });
    const before = await widthOf();
    await line.press('ArrowRight');
    assert.is(await line.getAttribute('aria-valuenow'), '52');
    assert.ok((await widthOf()) > before);
    await page.mouse.move((await line.boundingBox())?.x ?? 0, 500);
    await page.mouse.down();
    await page.mouse.move(400, 500);
    await page.mouse.up();
    assert.ok(Math.abs((await widthOf()) - 400) < 3);
    await page.reload();
    await page.getByText('No problems').waitFor();
    assert.ok(Math.abs((await widthOf()) - 400) < 3, 'the size is remembered');
    await line.dblclick();
    assert.is(await widthOf(), before);
    await page.getByRole('button', { name: 'Policies', exact: true }).click();
    assert.is(await page.getByRole('textbox', { name: 'Text of album.yaml' }).isVisible(), false);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    const request = page.getByRole('button', { name: 'Request', exact: true });
    assert.is(await request.getAttribute('aria-expanded'), 'false');
    await page.getByText('no rule allows').waitFor();
    // Tabs stay in one row, and none makes the page wider.
    for (const list of await page.getByRole('tablist').all()) {
      const boxes = await Promise.all((await list.getByRole('tab').all()).map((tab) => tab.boundingBox()));
      assert.is(new Set(boxes.map((box) => box?.y)).size, 1);
    }
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await request.click();
    await page.getByRole('textbox', { name: 'Request' }).waitFor();
  });

  test('an example of the gallery replaces files and request, and its address opens it', async () => {
    await write('Text of album.yaml', NOTE);
    await page
      .getByText(/warning/)
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Example' }).selectOption('Tenants');
    await page.getByText('other-tenants', { exact: false }).first().waitFor();
    await page.getByText('No problems').waitFor();
    const panel = page.getByRole('tabpanel', { name: 'Decision' });
    assert.match(await panel.innerText(), /view\nAllowed by resource\.invoice/);
    assert.is(await page.getByRole('combobox', { name: 'File' }).inputValue(), 'invoice.yaml');
    assert.match(page.url(), /#playground=example:tenants$/);
    await page.reload();
    await page.getByText('No problems').waitFor();
    assert.is(await page.getByRole('combobox', { name: 'Example' }).inputValue(), 'tenants');
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByRole('tabpanel', { name: 'Tests' }).getByText('6 passed').waitFor();
  });

  test('a request that is not valid is refused with a reason', async () => {
    const results = page.getByRole('region', { name: 'Results' });
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
      await results.getByText(`${reason}`).waitFor();
      await results.getByText('This is the last result.').waitFor();
      assert.is(await results.getByText('no rule allows').count(), 1);
    }
  });

  test('an error is shown with its place, which a click goes to', async () => {
    await write('Text of album.yaml', NOTE.replace('R.attr.level <=', 'R.attr.level <'.concat('= nothing +')));
    await page.getByText(/^1 error/).waitFor();
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('listitem').first();
    assert.match(await problem.innerText(), /^album\.yaml:10:\d+ error\[[a-z/-]+\]: /);
    await page.getByRole('combobox', { name: 'File' }).selectOption('album_roles.yaml');
    await problem.getByRole('button').click();
    await page.getByRole('textbox', { name: 'Text of album.yaml' }).waitFor();
    assert.is(await page.getByRole('combobox', { name: 'File' }).inputValue(), 'album.yaml');
  });

  test('the last result stays, dimmed, while the policies have an error', async () => {
    const results = page.getByRole('region', { name: 'Results' });
    const colour = async (): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('.results .badge.deny')).color`);
    const before = await colour();
    await write('Text of album.yaml', NOTE.replace('R.attr.level <=', 'R.attr.level <= = nothing +'));
    await results.getByText('The policies do not compile. This is the last result.').waitFor();
    assert.is(await results.getByText('no rule allows').count(), 1);
    assert.is.not(await colour(), before);
    assert.equal(await axeViolations(page), []);
    for (const [tab, text] of [
      ['Plan', 'Allowed where this holds'],
      ['TypeScript', 'export const album = resourcePolicy('],
      ['Tests', '4 passed'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).getByText(text).first().waitFor();
    }
    await write('Text of album.yaml', NOTE);
    await page
      .getByText(/warning/)
      .first()
      .waitFor();
    assert.is(await results.getByText('This is the last result.').count(), 0);
    await page.getByRole('tab', { name: 'Decision' }).click();
    await results.getByText('No policy covers kind album: the only kind is note.').first().waitFor();
  });

  test('the editor completes, shows what is known at the pointer, formats and finds', async () => {
    await page.getByRole('combobox', { name: 'Example' }).selectOption('Tenants');
    const text = page.getByRole('textbox', { name: 'Text of invoice.yaml' });
    await text.waitFor();
    const before = await text.innerText();
    await text.getByText('none', { exact: true }).hover();
    await page.getByText('holds if no member holds').waitFor();
    await write('Text of invoice.yaml', `${before.trimEnd()}\n      condition: { match: { expr: P.attr.`);
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /^tenant/ }).waitFor();
    // The editor ignores Enter for 75 ms after proposals appear, so that they do not catch what was typed before.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await text.getByText('expr: P.attr.tenant').waitFor();
    assert.match(await text.innerText(), 'expr: P.attr.tenant');
    await write('Text of invoice.yaml', before.replace('resource: invoice', 'resource:   invoice'));
    await page.getByRole('button', { name: 'Format' }).click();
    // Playwright takes several spaces for one.
    await until(async () => !(await text.innerText()).includes('resource:   '), 'the formatted text');
    assert.is((await text.innerText()).trimEnd(), before.trimEnd());
    await page.keyboard.press('Control+F');
    await page.getByRole('textbox', { name: 'Find' }).fill('tenant');
    await page.getByText('3 places').waitFor();
    await page.keyboard.press('Enter');
    assert.is(await page.locator('.cm-found').count(), 3);
    assert.equal(await axeViolations(page), []);
    await page.keyboard.press('Escape');
    assert.is(await page.getByRole('textbox', { name: 'Find' }).count(), 0);
  });

  test('plans are shown as a tree and as SQL for each dialect', async () => {
    await page.getByRole('tab', { name: 'Plan' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Plan' });
    assert.match(
      await panel.getByRole('list', { name: 'Filter' }).first().innerText(),
      'eq resource.attr.owner "alice"',
    );
    const sql = panel.getByLabel('SQL', { exact: true });
    assert.match(await sql.first().innerText(), 'albums.friends @> to_jsonb($4::text)');
    await panel.getByRole('combobox', { name: 'SQL dialect' }).selectOption('sqlite');
    assert.match(await sql.first().innerText(), 'json_each');
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
    const names = panel.getByRole('list', { name: 'Tests of album_test.yaml', exact: true });
    assert.match(await names.innerText(), /^✔ Alice views public albums and edits her own\s+4 decisions$/);
    await page.getByRole('combobox', { name: 'File' }).selectOption('album_test.yaml');
    const suiteText = page.getByRole('textbox', { name: 'Text of album_test.yaml' });
    await write(
      'Text of album_test.yaml',
      (await suiteText.innerText()).replace(/\bview: EFFECT_ALLOW/, 'view: EFFECT_DENY'),
    );
    await panel.getByText('expected EFFECT_DENY, got EFFECT_ALLOW').first().waitFor();
    assert.match(await panel.innerText(), '3 passed, 1 failed');
    assert.match(await names.innerText(), /^✘/);
  });

  test('the matrix is shown, and what changes since the policies were loaded, with a request to try', async () => {
    await page.getByRole('combobox', { name: 'Example' }).selectOption('Roles');
    await page.getByRole('textbox', { name: 'Text of article.yaml' }).waitFor();
    await page.getByRole('tab', { name: 'Matrix' }).click();
    const rows = page.getByRole('tabpanel', { name: 'Matrix' }).getByRole('row');
    await rows.filter({ hasText: /^editor/ }).waitFor();
    assert.match(
      await rows.filter({ hasText: /^editor/ }).innerText(),
      /^editor\s+Allowed\s+Denied\s+Allowed\s+Allowed$/,
    );
    await page.getByRole('tab', { name: 'Changes' }).click();
    const changes = page.getByRole('tabpanel', { name: 'Changes' });
    await changes.getByText('as they did when they were loaded: proved for').waitFor();
    const text = await page.getByRole('textbox', { name: 'Text of article.yaml' }).innerText();
    await write('Text of article.yaml', text.replace('roles: [admin]', 'roles: [editor, admin]'));
    await changes.getByText('Now allowed').waitFor();
    assert.match(await changes.innerText(), /delete of article/);
    assert.equal(await axeViolations(page), []);
    await changes.getByRole('button', { name: 'Try this request' }).click();
    await page.getByRole('tab', { name: 'Decision' }).click();
    await page.getByRole('tabpanel', { name: 'Decision' }).getByText('by resource.article.vdefault#admins').waitFor();
  });

  test('the conditions of a matrix are below it, which leaves room for columns on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('tab', { name: 'Matrix' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Matrix' });
    const user = panel.getByRole('row').filter({ hasText: /^user/ });
    await user.waitFor();
    assert.match(await user.innerText(), /^user\s+If 2\s+If 2\s+If 3/);
    assert.match(await panel.getByRole('list').first().innerText(), /owner and not \(R\.attr\.status == "LOCKED"\)/);
    const column = await user.getByText('If 3').boundingBox();
    assert.ok(column !== null && column.x + column.width <= 390);
    assert.equal(await axeViolations(page), []);
  });

  test('files are added and deleted, and schemas are read', async () => {
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('note.yaml');
    await page.getByRole('button', { name: 'Add' }).click();
    await write(
      'Text of note.yaml',
      NOTE.replace('  rules:', "  schemas: { resourceSchema: { ref: 'authz:///note.json' } }\n  rules:"),
    );
    await page
      .getByText(/note\.json/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'New file' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('_schemas/note.json');
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
    for (const state of ['%%%', 'AAAA', bomb, 'A'.repeat(40_000), 'example:none']) {
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
      for (const tab of ['Decision', 'Plan', 'TypeScript', 'Tests', 'Matrix', 'Changes']) {
        await page.getByRole('tab', { name: tab }).click();
        const found = await axeViolations(page, colorScheme === 'dark' ? COLOURS : undefined);
        assert.equal(found, [], `${tab}, ${colorScheme}`);
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    for (const tab of ['Decision', 'Plan', 'TypeScript', 'Tests', 'Matrix', 'Changes']) {
      await page.getByRole('tab', { name: tab }).click();
      assert.equal(await brokenWords(page), [], tab);
    }
  });

  test('the keyboard reaches every control and leaves the editors', async () => {
    await page.getByRole('combobox', { name: 'Example' }).focus();
    const visited: string[] = [];
    for (let i = 0; i < 14; i += 1) {
      await page.keyboard.press('Tab');
      visited.push(
        String(
          await page.evaluate(`(() => {
            const inner = document.activeElement.shadowRoot?.activeElement ?? document.activeElement;
            if (inner.getAttribute('role') === 'tabpanel') return 'the panel';
            return inner.getAttribute('aria-label') ?? inner.labels?.[0]?.textContent ?? inner.textContent;
          })()`),
        ),
      );
    }
    assert.equal(visited, [
      'Copy link',
      'Policies',
      'File',
      'New file',
      'Delete file',
      'Format',
      'Text of album.yaml',
      'Height of the policies',
      'Request',
      'Request',
      'Width of the policies and the request',
      'Decision',
      'the panel',
      'resource.album.vdefault as user',
    ]);
  });
}

/** The characters of a text that an editor shows as a whole. */
const LONGEST_IN_VIEW = 600;

/** Pastes into an editor: text that a driver types there brings inline styles of the browser, which the page forbids. */
async function write(editor: string, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  const box = page.getByRole('textbox', { name: editor });
  const lines = (shown: string): string =>
    shown
      .split('\n')
      .filter((line) => line.trim() !== '')
      .join('\n');
  // A view that appears meanwhile may take the keys. Editors have only the lines of long texts that are in view.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await box.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
    if (text.length > LONGEST_IN_VIEW || lines(await box.innerText()) === lines(text)) return;
  }
}
