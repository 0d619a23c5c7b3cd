import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildVscode } from '../../scripts/vscode.js';
import { ROOT } from '../support/compiled.js';

const test = suite('the extension for VS Code');

const folder = mkdtempSync(join(tmpdir(), 'authz-vscode-'));
test.after(() => rmSync(folder, { recursive: true }));

test('it has one script that needs nothing but the editor, and a manifest that names it', async () => {
  const imports = await buildVscode(folder);
  assert.equal(
    [...new Set(imports)].filter((name) => !isBuiltin(name)),
    ['vscode'],
  );
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly main: string;
    readonly version: string;
  };
  assert.is(manifest.main, './extension.cjs');
  assert.is(manifest.version, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
  assert.equal(readdirSync(folder).sort(), [
    'LICENSE',
    'README.md',
    'extension.cjs',
    'package.json',
    'third-party-licenses.txt',
  ]);
});

test('its script can be loaded, and exports what the editor calls', () => {
  // Classes of the client extend those of the editor when they are loaded.
  const editor: object = new Proxy(class {}, {
    get: (target, name) => (Reflect.has(target, name) ? Reflect.get(target, name) : editor),
  });
  const own = createRequire(import.meta.url);
  const module = { exports: {} as { readonly [name: string]: unknown } };
  const text = readFileSync(join(folder, 'extension.cjs'), 'utf8');
  new Script(`(function (require, module, exports) {${text}\n})`).runInThisContext()(
    (name: string) => (name === 'vscode' ? editor : own(name)),
    module,
    module.exports,
  );
  assert.equal(Object.keys(module.exports).sort(), ['activate', 'deactivate']);
});

test.run();
