import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complete as completeInFolder } from '../../packages/editor/completion.js';
import { hover as hoverInFolder } from '../../packages/editor/hover.js';
import { toRange } from '../../packages/editor/positions.js';
import { Workspace } from '../../packages/editor/workspace.js';
import { complete, format, hover } from '../../packages/playground/playground/language.js';
import { sharing } from '../../packages/playground/playground/gallery/sharing.js';
import { tenants } from '../../packages/playground/playground/gallery/tenants.js';

const test = suite('the language service of the playground');

for (const { name, files } of [sharing, tenants])
  test(`${name}: completion and hovers are those of the language server, at every third place`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'authz-language-'));
    try {
      for (const { path, text } of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      const workspace = new Workspace(folder);
      workspace.reload();
      let proposed = 0;
      for (const { path, text } of files.filter(({ path: one }) => !/_test|_schemas/.test(one))) {
        const source = workspace.findSource(path);
        assert.ok(source !== undefined);
        for (let offset = 0; offset < text.length; offset += 3) {
          const position = toRange({ source, start: offset, end: offset }).start;
          const expected = completeInFolder(workspace, path, position).items.map(({ label }) => label);
          const { items } = complete({ files, path, offset });
          assert.equal(
            items.map(({ label }) => label),
            expected,
          );
          proposed += items.length;
          const contents = hoverInFolder(workspace, path, position)?.contents as { readonly value: string } | undefined;
          assert.is(hover({ files, path, offset })?.markdown, contents?.value);
        }
      }
      assert.ok(proposed > 100);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

test('attributes are those of the schema as it is edited', () => {
  const path = 'document.yaml';
  // As in an editor, the text parsed before something was added to it.
  complete({ files: sharing.files, path, offset: 0 });
  const [policy] = sharing.files;
  const text = `${policy?.text}      condition: { match: { expr: R.attr.`;
  const files = sharing.files.map((file) =>
    file.path === path
      ? { path, text }
      : { ...file, text: file.path.startsWith('_schemas/') ? file.text.replaceAll('editors', 'writers') : file.text },
  );
  const { from, items } = complete({ files, path, offset: text.length });
  assert.is(from, text.length);
  assert.equal(
    items.filter(({ type }) => type === 'property').map(({ label }) => label),
    ['owner', 'viewers', 'writers'],
  );
});

test('policies and suites are formatted; other files and texts that do not parse stay', () => {
  const text = 'apiVersion:   api.authz.dev/v1\n';
  assert.equal(format({ path: 'a.yaml', text }), { from: 12, to: 14, text: '' });
  assert.is(format({ path: 'a.yaml', text: 'a: [' }), undefined);
  assert.is(format({ path: '_schemas/a.json', text: '{  }' }), undefined);
});

test.run();
