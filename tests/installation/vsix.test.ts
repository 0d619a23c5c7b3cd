import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CompletionRequest, HoverRequest } from 'vscode-languageserver-protocol/node';
import { inflate, readZip } from '../../packages/bundle/zip.js';
import { buildVscode } from '../../scripts/vscode.js';
import { packVsix } from '../../scripts/vsix.js';
import { openEditor } from '../support/editor/client.js';
import { ROOT } from '../support/compiled.js';
import { unpackedPackages } from '../support/packed-packages.js';

/** What a user of an editor installs: the extension as documented, and the language server of the package. */
const test = suite('the packed extension and the packed language server');

const folder = mkdtempSync(join(tmpdir(), 'authz vsix '));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('the archive has the extension with its page, its pictures and nothing else, and names what an editor looks for', async () => {
  await buildVscode(folder);
  const archive = packVsix(folder);
  const bytes = readFileSync(archive);
  assert.match(archive, /authz-vscode-\d+\.\d+\.\d+\.vsix$/);
  const files = [
    'CHANGELOG.md',
    'LICENSE.txt',
    'README.md',
    'extension.cjs',
    'icon.png',
    'images/completion.png',
    'images/diagnostic.png',
    'images/hover.png',
    'package.json',
    'third-party-licenses.txt',
  ];
  const names = ['extension.vsixmanifest', '[Content_Types].xml', ...files.map((name) => `extension/${name}`)];
  const contents = new Map(
    readZip(bytes, names).map((entry) => [entry.name, inflate(entry, 1 << 20).toString('latin1')]),
  );
  assert.equal([...contents.keys()], names);
  const manifest = contents.get('extension.vsixmanifest') ?? '';
  const assets = [...manifest.matchAll(/<Asset Type="([\w.]+)" Path="(.+?)"/g)].map(([, type, path]) => [type, path]);
  assert.ok(assets.every(([, path]) => contents.has(path ?? '')));
  assert.ok(assets.some(([type]) => type === 'Microsoft.VisualStudio.Code.Manifest'));
  const { name, version, publisher, engines } = JSON.parse(contents.get('extension/package.json') ?? '') as Extension;
  assert.match(manifest, `Id="${name}" Version="${version}" Publisher="${publisher}"`);
  assert.match(manifest, `Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"`);
  const types = contents.get('[Content_Types].xml') ?? '';
  for (const each of names.slice(2)) assert.match(types, `Extension="${extname(each)}"`);
  // Equal extensions are equal archives.
  packVsix(folder);
  assert.ok(readFileSync(archive).equals(bytes));
  assert.match(readFileSync(join(ROOT, 'docs/editors.md'), 'utf8'), `dist/vscode/${basename(archive)}`);
});

interface Extension {
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
  readonly engines: { readonly vscode: string };
}

test('the language server of the archive answers an editor in a folder whose name has a space', async () => {
  const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.owner == P.id}}
`;
  const editor = await openEditor(
    {},
    { program: join(unpackedPackages(), 'authzc/dist/authzc.js'), name: 'authz editor ' },
  );
  await editor.open('note.yaml', policy);
  const [problem] = await editor.diagnostics('note.yaml', (diagnostics) => diagnostics.length > 0);
  assert.is(problem?.code, 'expression/invalid');
  await editor.edit('note.yaml', policy.replace('R.owner', 'R.attr.owner'));
  await editor.diagnostics('note.yaml', (diagnostics) => diagnostics.length === 0);
  const at = { textDocument: { uri: editor.uriOf('note.yaml') }, position: { line: 8, character: 34 } };
  const found = await editor.connection.sendRequest(CompletionRequest.type, at);
  const items = found === null ? [] : 'items' in found ? found.items : found;
  assert.ok(items.length > 0);
  await editor.connection.sendRequest(HoverRequest.type, at);
  assert.is(await editor.close(), 0);
});

test.run();
