import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../cli/policies/compile.js';
import { readTablesOf } from '../../cli/policies/request-files.js';
import { loadSuites } from '../../compiler/load/suites.js';
import { loadSettings } from '../../server/config.js';
import { readTenantText } from '../../server/tenants/tenant-text.js';
import { ROOT } from '../support/compiled.js';
import { documentPolicy } from '../support/cli/policies.js';
import { folderOf, PROGRAMS, run } from '../support/cli/programs.js';

/**
 * The same files as git checks them out on Windows, and as its editors write them: line ends of two characters, and a
 * byte-order mark. Neither changes anything.
 */
const test = suite('files of Windows');

const temporary = mkdtempSync(join(tmpdir(), 'authz-windows-'));
test.after(() => rmSync(temporary, { recursive: true, force: true }));

const MARK = '\ufeff';
const WAYS: { readonly [name: string]: (text: string) => string } = {
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  'a byte-order mark': (text) => MARK + text,
  both: (text) => MARK + text.replaceAll('\n', '\r\n'),
};

function textsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json|ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function copyWith(folder: string, name: string, change: (text: string) => string): string {
  const copy = join(temporary, `${name}-${readdirSync(temporary).length}`);
  cpSync(folder, copy, { recursive: true });
  for (const path of textsBelow(copy)) writeFileSync(path, change(readFileSync(path, 'utf8')));
  return copy;
}

const golden = join(ROOT, 'tests/golden');
const FOLDERS = [
  join(ROOT, 'policies'),
  join(ROOT, 'examples/contact-api/policies'),
  ...readdirSync(golden, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(golden, name, 'policies')),
];

for (const [way, change] of Object.entries(WAYS))
  test(`with ${way}, policies and schemas compile to the same files and diagnostics`, () => {
    for (const folder of FOLDERS) {
      const [before, after] = [folder, copyWith(folder, 'policies', change)].map((path) => {
        const { files, diagnostics } = compileFolder(path, { explain: true });
        return {
          files: files.map((file) => [file.path, file.text]),
          diagnostics: diagnostics.map(({ code, message, place }) => [
            code,
            message,
            place?.span.source.lineAndColumn(place.span.start),
          ]),
        };
      });
      assert.equal(after, before, folder);
    }
  });

for (const [way, change] of Object.entries(WAYS))
  test(`with ${way}, tests and fixtures are read alike`, () => {
    const texts = (folder: string): unknown =>
      loadSuites(folder).map(({ file, principals, resources, auxData }) =>
        [file, principals, resources, auxData].map((one) => one && ('source' in one ? one.source.text : one)),
      );
    const folder = join(ROOT, 'policies');
    assert.equal(texts(copyWith(folder, 'tests', change)), texts(folder));
  });

for (const [way, change] of Object.entries(WAYS))
  test(`with ${way}, configuration, tables and documents of tenants are read alike`, () => {
    const place = (name: string, text: string): string => {
      const path = join(temporary, name);
      writeFileSync(path, text);
      return path;
    };
    const configs = [
      'server:\n  httpListenAddr: ":1234"\n  cors:\n    maxAge: 5s\n',
      '{\n"server": {"httpListenAddr": ":1234"}\n}\n',
    ];
    for (const text of configs) {
      const read = (file: string): unknown => loadSettings({ file, environment: {} }).settings;
      assert.equal(read(place('b.yaml', change(text))), read(place('a.yaml', text)));
    }
    const tables = 'tables:\n  document:\n    columns:\n      R.attr.owner: { column: owner, type: text }\n';
    const tablesOf = (file: string): unknown => {
      try {
        return readTablesOf(file);
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.equal(tablesOf(place('a.tables.yaml', change(tables))), tablesOf(place('b.tables.yaml', tables)));
    for (const text of ['tenant: a\nroles:\n  desk:\n    roles: [user]\n', '{\n"tenant": "a",\n"roles": {}\n}\n']) {
      const [before, after] = [text, change(text)].map(readTenantText);
      assert.ok(before && 'document' in before && after && 'document' in after, JSON.stringify(after));
      assert.equal(after.document, before.document);
    }
  });

test('generated files that git checked out with CRLF are up to date, and formatted files stay formatted', async () => {
  const folder = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  const authzc = (...args: readonly string[]) => run(PROGRAMS.authzc, args, folder);
  try {
    assert.is((await authzc('compile')).code, 0);
    for (const path of textsBelow(folder)) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    assert.equal(await authzc('compile', '--check'), { code: 0, stdout: '', stderr: '' });
    assert.equal(await authzc('fmt', '--check'), { code: 0, stdout: '', stderr: '' });
    const path = join(folder, 'policies/document.yaml');
    const tidy = readFileSync(path, 'utf8');
    writeFileSync(path, tidy.replace('version: default', 'version:   default'));
    assert.is((await authzc('fmt')).code, 0);
    assert.is(readFileSync(path, 'utf8'), tidy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
