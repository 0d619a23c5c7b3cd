import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credsAuthenticator, nkeys } from '@nats-io/nats-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { coverTests } from '../../packages/cli/analysis-library.js';
import { readLine } from '../../packages/analysis/replay/entry.js';
import { readPublicKeys, readSigningKey } from '../../packages/bundle/index.js';
import { linesOfLog } from '../../packages/cli/audit/log-lines.js';
import { planMigration } from '../../packages/cli/migrate/plan.js';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { readPrincipal, readTableFile } from '../../packages/cli/policies/request-files.js';
import { readVocabulary } from '../../packages/cli/policies/vocabulary.js';
import { compilePolicies } from '../../compiler/index.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';
import { loadSuites } from '../../compiler/load/suites.js';
import { readSigner } from '../../server/audit/chain/signer.js';
import { toSaslOptions } from '../../server/audit/kafka/sasl.js';
import { readCreds } from '../../server/audit/nats/connection.js';
import { loadKeySet } from '../../server/aux-data/key-set.js';
import { readSecret } from '../../server/bundle/credentials.js';
import { dockerCredentials } from '../../server/bundle/oci/docker-config.js';
import { loadSettings } from '../../server/config.js';
import type { KeySetConfig } from '../../server/config/key-sets.js';
import { readCredentials } from '../../server/s3/s3-credentials.js';
import { readTenantText } from '../../server/tenants/tenant-text.js';
import { ROOT } from '../support/compiled.js';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { skip } from '../support/skip.js';

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

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PEM = String(publicKey.export({ type: 'spki', format: 'pem' }));
const PRIVATE_PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const JWK = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'EdDSA' };
const USER = nkeys.createUser();

const keySetIn = (path: string, pem: boolean): KeySetConfig => ({
  id: 'own',
  source: { kind: 'file', path, pem },
  optionalAlg: true,
  optionalKid: true,
  plainHttp: false,
  place: 'place',
});

interface Reader {
  readonly text: string;
  readonly read: (path: string) => unknown;
}

function reads(text: string, read: (path: string) => unknown): Reader {
  return { text, read };
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
        return readTableFile(file, PROCESS_CONTEXT);
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

/** Readers of single files: a text that each reads, and what it makes of a file. */
const READERS: { readonly [what: string]: Reader } = {
  'a JSON Web Key set': reads(JSON.stringify({ keys: [JWK] }, undefined, 2), (path) =>
    loadKeySet(keySetIn(path, false)).keys.map(({ jwk }) => jwk),
  ),
  'a key in PEM': reads(PEM, (path) => loadKeySet(keySetIn(path, true)).keys.map(({ jwk }) => jwk)),
  'a key set in the configuration': reads(JSON.stringify({ keys: [JWK] }, undefined, 2), (path) => {
    const source = { kind: 'data', base64: readFileSync(path).toString('base64'), pem: false } as const;
    return loadKeySet({ ...keySetIn(path, false), source }).keys.map(({ jwk }) => jwk);
  }),
  'keys that bundles are trusted by': reads(`${JSON.stringify(JWK, undefined, 2)}\n`, async (path) =>
    (await readPublicKeys(readFileSync(path, 'utf8'))).map(({ names }) => names),
  ),
  'the same in PEM': reads(PEM, async (path) =>
    (await readPublicKeys(readFileSync(path, 'utf8'))).map(({ names }) => names),
  ),
  'a key that signs bundles': reads(PRIVATE_PEM, async (path) => (await readSigningKey(readFileSync(path, 'utf8'))).id),
  'a key that signs audit logs': reads(PRIVATE_PEM, (path) => readSigner(path).keyId),
  'credentials of a registry': reads('{\n"auths": {"r.example": {"username": "u", "password": "p"}}\n}\n', (path) =>
    dockerCredentials(path, 'r.example'),
  ),
  'a secret': reads('pass word\n', (path) => readSecret({ file: path })),
  'a password of brokers': reads('pass word\n', (path) => {
    const { password } = toSaslOptions({ mechanism: 'PLAIN', username: 'u', password: { file: path } });
    return (password as () => Promise<string>)();
  }),
  'credentials of S3': reads('[default]\naws_access_key_id = a\naws_secret_access_key = b\n', (path) =>
    readCredentials({ file: path, profile: undefined }, {}),
  ),
  'credentials of NATS': reads(
    `-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${Buffer.from(USER.getSeed())}\n------END USER NKEY SEED------\n`,
    (path) => credsAuthenticator(readCreds(path))('nonce'),
  ),
  'an audit log': reads('{"a":1}\n{"b":"\\r"}\n', async (path) => {
    const lines: (string | undefined)[] = [];
    for await (const line of linesOfLog(path, PROCESS_CONTEXT)) lines.push(line);
    return lines;
  }),
  'a line of a log': reads(
    '{"log.logger":"authz.audit","log.kind":"access","timestamp":"2026-01-01T00:00:00Z"}\n',
    (path) => readLine(readFileSync(path, 'utf8')),
  ),
  'checkpoints of audit logs': reads('{\n"chains": [{"id": "c", "sequence": 1, "hash": "x"}]\n}\n', async (path) => {
    writeFileSync(join(temporary, 'empty.ndjson'), '');
    return callAuthzc(['audit', 'verify', '--checkpoint', path, 'empty.ndjson'], temporary);
  }),
  'a vocabulary': reads('vocabulary:\n  roles: [user]\n', (path) => readVocabulary(path)),
  'a principal': reads('id: ann\nroles: [user]\n', (path) => readPrincipal(path, PROCESS_CONTEXT)),
};

for (const [what, { text, read }] of Object.entries(READERS))
  test(`${what} may be a file of Windows`, async () => {
    const path = join(temporary, 'one');
    writeFileSync(path, text);
    const before = await read(path);
    for (const [way, change] of Object.entries(WAYS)) {
      writeFileSync(path, change(text));
      assert.equal(await read(path), before, way);
    }
  });

for (const [way, change] of Object.entries(WAYS)) {
  test(`with ${way}, texts that programs read themselves compile`, async () => {
    const policies = [{ path: 'document.yaml', text: change(documentPolicy('view')) }];
    const tests = [{ path: 'document_test.yaml', text: change('name: documents\ntests: []\n') }];
    assert.equal(compilePolicies({ policies }).report.errors, []);
    const { tests: report } = await coverTests({ policies }, tests);
    assert.not.match(JSON.stringify(report), 'ufeff');
  });

  test(`with ${way}, a repository is migrated alike`, () => {
    const tree = new Map([
      ['policies/document.yaml', documentPolicy('view').replace('api.authz.dev', 'api.cerbos.dev')],
      ['policies/_schemas/document.json', '{\n"$schema": "https://json-schema.org/draft/2020-12/schema"\n}\n'],
      [
        'policies/document_test.yaml',
        '# yaml-language-server: $schema=https://api.cerbos.dev/TestSuite.schema.json\nname: x\n',
      ],
      [
        '.cerbos.yaml',
        'server:\n  httpListenAddr: ":3592"\nstorage:\n  driver: disk\n  disk:\n    directory: policies\n',
      ],
      ['compose.yaml', 'services:\n  pdp:\n    image: ghcr.io/cerbos/cerbos:0.40.0\n'],
    ]);
    const planned = (files: ReadonlyMap<string, string>): unknown => {
      const { writes, findings, configs, services } = planMigration(files);
      return JSON.parse(
        JSON.stringify({ writes, findings, configs, services }).replaceAll('\ufeff', '').replaceAll('\\r\\n', '\\n'),
      );
    };
    assert.equal(planned(new Map([...tree].map(([path, text]) => [path, change(text)]))), planned(tree));
  });

  test(`with ${way}, files of a project are formatted`, async () => {
    const folder = folderOf({
      'policies/document.yaml': change(documentPolicy('view')),
      'policies/document_test.yaml': change('tests:   []\n'),
      'policies/testdata/principals.yaml': change('principals:   {}\n'),
    });
    try {
      const { code, stdout } = await callAuthzc(['fmt', '--check'], folder);
      assert.is(code, 1);
      for (const name of ['document_test.yaml', 'principals.yaml']) assert.match(stdout, name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test('generated files that git checked out with CRLF are up to date, and formatted files stay formatted', async () => {
  const folder = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  const authzc = (...args: readonly string[]) => callAuthzc(args, folder);
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

test('this repository is checked out as it is written: its tests compare bytes', () => {
  const inGit = existsSync(join(ROOT, '.git'));
  if (!inGit) return skip(import.meta.url, 'the tree is not a git repository');
  const paths = ['README.md', 'compiler/compile.ts', 'policies/album.yaml', 'generated/index.ts', '.github/new.yml'];
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  const listed = execFileSync('git', ['check-attr', 'eol', '--', ...paths], options);
  assert.equal(
    listed.trimEnd().split('\n'),
    paths.map((path) => `${path}: eol: lf`),
  );
});

test.run();
