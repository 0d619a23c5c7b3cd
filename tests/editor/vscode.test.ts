import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installedProgram } from '../../packages/editor/vscode/installed-program.mjs';
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

/** Runs the script with an editor that has these parts; all others are stand-ins. */
function loadScript(parts: object): { readonly activate: (context: object) => Promise<void> } {
  // Classes of the client extend those of the editor when they are loaded.
  const editor: object = new Proxy(class {}, {
    get: (target, name) =>
      Reflect.has(parts, name)
        ? Reflect.get(parts, name)
        : Reflect.has(target, name)
          ? Reflect.get(target, name)
          : editor,
  });
  const own = createRequire(import.meta.url);
  const module = { exports: {} as { readonly activate: (context: object) => Promise<void> } };
  const text = readFileSync(join(folder, 'extension.cjs'), 'utf8');
  new Script(`(function (require, module, exports) {${text}\n})`).runInThisContext()(
    (name: string) => (name === 'vscode' ? editor : own(name)),
    module,
    module.exports,
  );
  return module.exports;
}

test('its script can be loaded, and exports what the editor calls', () => {
  assert.equal(Object.keys(loadScript({})).sort(), ['activate', 'deactivate']);
});

test('it runs the program that the workspace has installed, and none that is not', async () => {
  assert.not.match(readFileSync(join(folder, 'package.json'), 'utf8'), '"npx"');
  const inner = join(folder, 'workspace/inner');
  const program = join(folder, 'workspace/node_modules/.bin/authzc');
  mkdirSync(inner, { recursive: true });
  assert.is(installedProgram(inner), undefined);
  const warnings: string[] = [];
  const { activate } = loadScript({
    commands: { registerCommand: () => undefined },
    window: { showWarningMessage: (text: string) => warnings.push(text) },
    workspace: { workspaceFolders: [{ uri: { fsPath: inner } }], getConfiguration: () => ({ get: () => [] }) },
  });
  await activate({ subscriptions: [] });
  assert.match(warnings.join(), 'npm install --save-dev authzc');

  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  assert.is(installedProgram(inner), program);
});

test.run();
