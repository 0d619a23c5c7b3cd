import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { Random } from '../../../tests/support/oracle/random.js';
import { type Migrated, migratePolicies, migrateSchema, migrateTests, readPolicies } from './policy-text.js';
import { SEED } from '../../../tests/support/effort.js';

const test = suite('the migration of policies');

function migrated(text: string, path = 'policies/a.yaml'): Migrated | undefined {
  const yaml = readPolicies(path, text);
  return yaml && migratePolicies(path, yaml);
}

test('only the version changes, whatever its quotes, comments and line ends are', () => {
  for (const [before, after] of [
    ['apiVersion: api.cerbos.dev/v1', 'apiVersion: api.authz.dev/v1'],
    ['apiVersion: "api.cerbos.dev/v1"   # api.cerbos.dev/v1', 'apiVersion: "api.authz.dev/v1"   # api.cerbos.dev/v1'],
    ["'apiVersion':   'api.cerbos.dev/v1'", "'apiVersion':   'api.authz.dev/v1'"],
    ['apiVersion: "\\u0061pi.cerbos.dev/v1"', 'apiVersion: "api.authz.dev/v1"'],
    ['apiVersion: !!str api.cerbos.dev/v1', 'apiVersion: !!str api.authz.dev/v1'],
  ]) {
    for (const end of ['\n', '\r\n']) {
      const rest = `${end}# api.cerbos.dev/v1${end}exportConstants:${end}  name: c${end}  definitions: {url: "cerbos:///a", v: api.cerbos.dev/v1}${end}`;
      assert.equal(migrated(`# top${end}${before}${rest}`)?.texts, [`# top${end}${after}${rest}`], before);
    }
  }
  assert.equal(migrated('{"apiVersion": "api.cerbos.dev/v1", "derivedRoles": {}}', 'a.json')?.texts, [
    '{"apiVersion": "api.authz.dev/v1", "derivedRoles": {}}',
  ]);
  const marked = '\ufeffapiVersion: api.cerbos.dev/v1\nderivedRoles: {}\n';
  assert.equal(migrated(marked)?.texts, [marked.replace('cerbos', 'authz')]);
});

test('files that are no policies of the reference are not read', () => {
  for (const text of [
    'apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: api.cerbos.dev/v1\n    derivedRoles: {}\n',
    'apiVersion: api.cerbos.dev/v1\nkind: Other\n',
    'apiVersion: api.cerbos.dev/v1\nderivedRoles: {{ .Values.roles }}\n  - x\n',
    'x: [api.cerbos.dev/v1\n',
    '- apiVersion: api.cerbos.dev/v1\n',
    `${'['.repeat(100_000)}api.cerbos.dev/v1`,
  ])
    assert.is(readPolicies('a.yaml', text), undefined, text.slice(0, 80));
  assert.is(readPolicies('a_test.yaml', 'apiVersion: api.cerbos.dev/v1\nderivedRoles: {}'), undefined);
});

test('URLs of schemas change in references only', () => {
  const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: cerbos:///a
  version: default
  schemas:
    principalSchema: {ref: cerbos:///p.json}
    resourceSchema:
      ref: "cerbos:///dir/r.json" # cerbos:///
  rules:
    - {actions: ["cerbos:///a"], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.id == "cerbos:///r"'}}}
`;
  assert.equal(migrated(text)?.texts, [
    text
      .replace('api.cerbos', 'api.authz')
      .replace('{ref: cerbos:///p', '{ref: authz:///p')
      .replace('"cerbos:///dir', '"authz:///dir'),
  ]);
  const schema =
    '{"$id":"cerbos:///a.json","properties":{"$ref":{"const":"cerbos:///x"},"a":{"$ref": "cerbos:///b.json#/c"}},"title":"cerbos:///"}';
  assert.equal(migrateSchema(schema)?.texts, [
    schema.replace('"cerbos:///a.json', '"authz:///a.json').replace('cerbos:///b', 'authz:///b'),
  ]);
  assert.is(migrateSchema('{"title": "cerbos:///"}'), undefined);
});

test('schemas of editors become those of the package, in comments and in `$schema`', () => {
  const url = (file: string): string => `https://api.cerbos.dev/v0.40.0/cerbos/policy/v1/${file}.schema.json`;
  const modeline = (to: string): string => `# yaml-language-server: $schema=${to}\n`;
  const rest = 'apiVersion: api.authz.dev/v1\nderivedRoles: {name: "# yaml-language-server"}\n';
  for (const start of ['', '---\n', '# first\n'])
    assert.equal(migrated(`${start}${modeline(url('Policy'))}${rest}`, 'a/b/c.yaml')?.texts, [
      `${start}${modeline('../../node_modules/authzc/schemas/policy.schema.json')}${rest}`,
    ]);
  assert.equal(migrateTests('a_test.yaml', `${modeline(url('TestSuite'))}name: x\n`)?.texts, [
    `${modeline('node_modules/authzc/schemas/test-suite.schema.json')}name: x\n`,
  ]);
  assert.equal(migrateTests('testdata/p.json', `{"$schema": "${url('TestFixture/Principals')}"}`)?.texts, [
    '{"$schema": "../node_modules/authzc/schemas/principals.schema.json"}',
  ]);
  assert.is(migrateTests('a_test.yaml', `name: "${url('TestSuite')}"\n`), undefined);
});

test('several documents become as many files, with their comments', () => {
  const policy = (name: string): string =>
    `apiVersion: api.cerbos.dev/v1\nderivedRoles:\n  name: ${name}\n  definitions: []\n`;
  const own = (name: string): string => policy(name).replace('cerbos', 'authz');
  assert.equal(
    migrated(
      `# all\n---\n# a\n${policy('a')}# end of a\n---\n# b\n${policy('b')}...\n---\n# nothing\n---\n${policy('c')}`,
    )?.texts,
    [
      `# all\n---\n# a\n${own('a')}# end of a\n`,
      `# b\n${own('b')}...\n`,
      `---\n# nothing\n---\n${own('c')}`.replace(/^---\n/, ''),
    ],
  );
  assert.equal(migrated(`---\n${policy('a')}---\n`)?.texts, [`---\n${own('a')}---\n`]);
});

test('random policies keep their meaning, and migrating twice changes nothing', () => {
  const random = new Random(SEED);
  const quote = (text: string): string => random.pick([text, `"${text}"`, `'${text}'`]);
  for (let turn = 0; turn < 300; turn += 1) {
    const documents = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => {
      const name = random.pick(['a', 'cerbos:///n', 'é', 'x y']);
      const lines = [
        `apiVersion: ${quote(random.pick(['api.cerbos.dev/v1', 'api.cerbos.dev/v1', 'api.authz.dev/v1']))}${random.pick(['', ' # v'])}`,
        `resourcePolicy:\n  resource: "${name}${index}"\n  version: default`,
        `  schemas: {resourceSchema: {ref: ${quote(random.pick(['cerbos:///s.json', 'authz:///s.json', 'https://x/']))}}}`,
        ...random.pick([[], ['  # a comment: cerbos:///']]),
        `description: ${random.pick(['|\n  api.cerbos.dev/v1\n  # yaml-language-server: $schema=x', '"cerbos:///"', 'é'])}`,
      ];
      return `${random.pick(['', '# c\n'])}${lines.join('\n')}\n`;
    });
    const text = `${random.pick(['', '---\n'])}${documents.join('---\n')}${random.pick(['', '---\n', '...\n'])}`;
    const once = migrated(text);
    const wanted = parseAllDocuments(text)
      .map((document) => document.toJS() as Policy | null)
      .filter((document) => document !== null)
      .map(expected);
    const have = once?.texts
      .flatMap((part) => parseAllDocuments(part).map((document) => document.toJS() as unknown))
      .filter((value) => value !== null);
    assert.equal(have, wanted, text);
    for (const part of once?.texts ?? []) assert.equal(migrated(part), { texts: [part], changes: [] }, text);
  }
});

test.run();

interface Policy {
  readonly apiVersion: string;
  readonly resourcePolicy: { readonly schemas: { readonly resourceSchema: { readonly ref: string } } };
}

function expected(policy: Policy): Policy {
  const { ref } = policy.resourcePolicy.schemas.resourceSchema;
  return {
    ...policy,
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      ...policy.resourcePolicy,
      schemas: { resourceSchema: { ref: ref.replace(/^cerbos:\/\/\//, 'authz:///') } },
    },
  };
}
