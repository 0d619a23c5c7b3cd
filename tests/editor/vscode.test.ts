import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installedProgram } from '../../packages/editor/vscode/installed-program.mjs';
import { findPolicyFolder, isPolicyText } from '../../packages/editor/vscode/policy-folder.mjs';
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
    'CHANGELOG.md',
    'LICENSE.txt',
    'README.md',
    'extension.cjs',
    'icon.png',
    'images',
    'package.json',
    'third-party-licenses.txt',
  ]);
});

test('its page shows the pictures that it ships, and its icon is large enough', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const shown = [...page.matchAll(/!\[[^\]]+\]\(images\/([^)]+)\)/g)].map(([, name]) => name);
  assert.equal(readdirSync(join(folder, 'images')).sort(), shown.sort());
  // https://code.visualstudio.com/api/references/extension-manifest: at least 128x128 pixels.
  assert.equal(sizeOf('icon.png'), [256, 256]);
  for (const name of shown) assert.ok(sizeOf(`images/${name}`)[0] >= 600, name);
});

test('its changelog is about its version', () => {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  assert.match(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), `## ${version}\n`);
});

/** The width and height of a PNG file. */
function sizeOf(name: string): readonly [number, number] {
  const bytes = readFileSync(join(folder, name));
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test('a policy is told by its version, or by a comment that names its schema', () => {
  for (const text of [
    'apiVersion: api.authz.dev/v1\n',
    '---\n# a policy\napiVersion: "api.authz.dev/v1"\nresourcePolicy:\n',
    'description: first\napi_version: api.authz.dev/v1\n',
    '{"apiVersion": "api.authz.dev/v1"}',
    '{\n  "apiVersion": "api.authz.dev/v1"\n}',
    '# yaml-language-server: $schema=../node_modules/authzc/policy.schema.json\n',
  ])
    assert.ok(isPolicyText(text), text);
  for (const text of [
    '',
    'apiVersion: v1\nkind: Pod\n',
    '# about api.authz.dev/v1\n',
    'note: "apiVersion: api.authz.dev/v1"\n',
  ])
    assert.not(isPolicyText(text), text);
});

test('the folder of a policy is the configured one, policies, the nearest with schemas, or its own', () => {
  const workspace = join(folder, 'folders');
  for (const path of ['policies/deep', 'access/_schemas', 'access/shop', 'other/policies/a', 'config'])
    mkdirSync(join(workspace, path), { recursive: true });
  const of = (path: string, configured = ''): string =>
    findPolicyFolder(join(workspace, path), workspace, configured).slice(workspace.length + 1);
  assert.is(of('policies/deep/a.yaml'), 'policies');
  assert.is(of('config/a.yaml', 'config'), 'config');
  assert.is(of('access/shop/a.yaml'), 'access');
  assert.is(of('other/policies/a/b.yaml'), 'other/policies');
  assert.is(of('config/a.yaml'), 'config');
  assert.is(of('config/a.yaml', 'nowhere'), 'config');
  assert.is(findPolicyFolder('/elsewhere/a.yaml', workspace, ''), '/elsewhere');
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
  let opened: ((document: object) => Promise<void>) | undefined;
  const { activate } = loadScript({
    commands: { registerCommand: () => undefined },
    window: { showWarningMessage: (text: string) => warnings.push(text) },
    workspace: {
      workspaceFolders: [{ uri: { fsPath: inner } }],
      getConfiguration: () => ({ get: (_name: string, otherwise: unknown) => otherwise }),
      getWorkspaceFolder: () => ({ uri: { fsPath: inner } }),
      onDidOpenTextDocument: (listener: (document: object) => Promise<void>) => {
        opened = listener;
      },
      textDocuments: [],
    },
  });
  await activate({ subscriptions: [] });
  const document = (path: string, text: string): object => ({
    languageId: 'yaml',
    uri: { scheme: 'file', fsPath: join(inner, path) },
    getText: () => text,
  });
  // Other YAML files start nothing.
  await opened?.(document('deploy/pod.yaml', 'apiVersion: v1\nkind: Pod\n'));
  assert.equal(warnings, []);
  await opened?.(document('access/album.yaml', 'apiVersion: api.authz.dev/v1\n'));
  await opened?.(document('access/note.yaml', 'apiVersion: api.authz.dev/v1\n'));
  assert.is(warnings.length, 1);
  assert.match(warnings.join(), 'npm install --save-dev authzc');

  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  assert.is(installedProgram(inner), program);
});

test.run();
