import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Compilation, compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Document } from '../support/oracle/documents.js';
import { rounds } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';

/** The number of random folders, each in four versions. */
const STORES = rounds(30, 2);

const test = suite('incremental compilation');

test('an unchanged policy with unchanged imports is neither parsed nor emitted again', () => {
  const texts = { ...SHARED_NAMES, 'a.yaml': policy('a', 'V.short'), 'b.yaml': policy('b', 'R.attr.x == 1') };
  const sources = sourcesOf(texts);
  const first = compile(sources);
  const second = compile(
    sources.map((source) => (source.path === 'b.yaml' ? new Source('b.yaml', policy('b', 'R.attr.x == 2')) : source)),
  );
  assert.is(fileOf(second, 'resource/a.ts'), fileOf(first, 'resource/a.ts'));
  assert.is(fileOf(second, 'traced/resource/a.ts'), fileOf(first, 'traced/resource/a.ts'));
  assert.match(fileOf(second, 'resource/b.ts').text, 'cel.json(R.attr.x) === 2');
});

test('a policy is emitted again when an imported variable changes', () => {
  const sources = sourcesOf({ ...SHARED_NAMES, 'a.yaml': policy('a', 'V.short') });
  const first = compile(sources);
  const changed = new Source('variables.yaml', (SHARED_NAMES['variables.yaml'] as string).replace('3', '4'));
  const second = compile(sources.map((source) => (source.path === 'variables.yaml' ? changed : source)));
  assert.match(fileOf(first, 'resource/a.ts').text, '3');
  assert.match(fileOf(second, 'resource/a.ts').text, '4');
});

test('a policy is emitted again when another one replaces its file or a file that it imports', () => {
  const importing = (resource: string, set: string): string =>
    policy(resource, 'V.short', { importDerivedRoles: [set] }, { derivedRoles: ['clerk'] });
  const sources = sourcesOf({
    ...SHARED_NAMES,
    'a.yaml': policy('a', 'V.short'),
    'b.yaml': importing('b', 'staff'),
    'staff.yaml': derivedRoles('staff'),
  });
  compile(sources);
  // On a file system that ignores case, these would be one file.
  const all = [...sources, ...sourcesOf({ 'a2.yaml': importing('A', 'Staff'), 'staff2.yaml': derivedRoles('Staff') })];
  const warm = compile(all);
  assert.match(fileOf(warm, 'resource/a~2.ts').text, "kind: 'a',");
  assert.match(fileOf(warm, 'resource/b.ts').text, '/derived_roles/staff~2.js');
  assert.equal(bytesOf(warm), bytesOf(compile(all.map(({ path, text }) => new Source(path, text)))));
});

test('random folders compiled incrementally give the same output as a full compilation', () => {
  for (let seed = 1; seed <= STORES; seed += 1) {
    const random = new Random(seed);
    let documents = randomStore(random, { outputs: true, runtime: true });
    let sources: readonly Source[] = [];
    for (let version = 0; version < 4; version += 1) {
      const others = randomStore(random, { outputs: true, runtime: true });
      documents = documents.map((document, index) => sameIdentity(document, others[index]) ?? document);
      sources = again(sources, textsOf(documents));
      const warm = compile(sources);
      const cold = compile(sources.map(({ path, text }) => new Source(path, text)));
      assert.equal(bytesOf(warm), bytesOf(cold), `seed ${seed}, version ${version}`);
    }
  }
});

test.run();

const SHARED_NAMES: { readonly [path: string]: string } = {
  'variables.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    exportVariables: { name: 'sizes', definitions: { short: 'R.attr.size < 3' } },
  }),
};

function policy(resource: string, expr: string, fields: object = {}, parts: object = { roles: ['user'] }): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource,
      version: 'default',
      variables: { import: ['sizes'] },
      ...fields,
      rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', ...parts, condition: { match: { expr } } }],
    },
  });
}

function derivedRoles(name: string): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    derivedRoles: { name, definitions: [{ name: 'clerk', parentRoles: ['user'] }] },
  });
}

function sourcesOf(texts: { readonly [path: string]: string }): readonly Source[] {
  return Object.entries(texts).map(([path, text]) => new Source(path, text));
}

/** The sources of the next version. An unchanged text stays the same source, as `load` guarantees. */
function again(earlier: readonly Source[], texts: { readonly [path: string]: string }): readonly Source[] {
  return sourcesOf(texts).map(
    (source) => earlier.find(({ path, text }) => path === source.path && text === source.text) ?? source,
  );
}

function textsOf(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(
    documents.map((document, index) => [
      `p${index}.yaml`,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document }),
    ]),
  );
}

/** Replaces a document with another one of the same identity, so that the folder stays valid. */
function sameIdentity(document: Document, other: Document | undefined): Document | undefined {
  return other !== undefined && identityOf(document) === identityOf(other) ? other : undefined;
}

function identityOf(document: Document): string {
  const [kind, body] = Object.entries(document)[0] as [string, Record<string, unknown>];
  return JSON.stringify([
    kind,
    body.resource,
    body.principal,
    body.role,
    body.name,
    body.version,
    body.scope,
    body.scopePermissions,
  ]);
}

function fileOf({ files }: Compilation, path: string): Compilation['files'][number] {
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`${path} was not emitted`);
  return file;
}

function bytesOf({ files, diagnostics }: Compilation): unknown {
  return {
    files: files.map(({ path, text }) => [path, text]),
    diagnostics: diagnostics.map(({ code, message }) => [code, message]),
  };
}
