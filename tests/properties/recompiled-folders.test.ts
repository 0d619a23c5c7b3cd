import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeEntry, encodeEntry } from '../../packages/cli/cache/entry.js';
import { compile, type CompileOptions } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { recompile, makeSnapshot } from '../../compiler/recompile/index.js';
import { isCurrent, type Snapshot } from '../../compiler/recompile/snapshot.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { editedFolder, FOLDER, type Folder } from '../support/recompile/edits.js';

const test = suite('recompiling from a cache entry');

const EDITS = rounds(150, 30);

/** Each kind of literal, also those that JSON does not have. */
const LITERALS: readonly string[] = [
  '9007199254740993',
  '18446744073709551615u',
  '-0.0',
  'b"\\xff"',
  'timestamp("2024-05-06T07:08:09.123456789Z")',
  'duration("-1.5ms")',
  '{9007199254740993: 1u, true: b"a", "__proto__": -0}',
  '[null, 1, 2u, -0.0, b"", [optional.none()], type(1)]',
  '5e-324',
  '-9223372036854775808',
  'null',
  'true',
  'hierarchy("a.b")',
  'ip("::1")',
  'cidr("10.0.0.0/8")',
  'spiffeID("spiffe://a/b")',
  '"\\u2028\\U0001F510`${P.id}`*/</script>"',
  "r'\\d${P.id}'",
  '{?"k": optional.none(), "constructor": {1: []}}',
  '[1, 2].map(R, R + 1)',
];

const CONSTANT = { number: [1e21, -0.5, 5e-324], text: '\u2028`${P.id}`', nothing: null, ['__proto__']: [{}, []] };
const METADATA = {
  hash: '18446744073709551615',
  annotations: { '\u2028': '*/' },
  sourceAttributes: { attributes: { deep: [CONSTANT] } },
};

/** The number of policies with a scope from which each scope has a module: edits cross it. */
const FEW_SCOPED = 3;

test('a folder edited at random compiles to the same files and warnings as from nothing', () => {
  const random = new Random(SEED + 4);
  let folder: Folder = FOLDER;
  let good: Folder = FOLDER;
  let kept: Buffer | undefined;
  const counts = { current: 0, partial: 0, complete: 0, refused: 0 };
  for (let edit = 0; edit < EDITS; edit += 1) {
    const options = { schemaTexts: new Map(Object.entries(folder.schemas)), ...folder.options, scopedFrom: FEW_SCOPED };
    const sources = sourcesOf(folder);
    const before = kept && decodeEntry(kept, 'key', sources)?.snapshot;
    const from = before && (isCurrent(before, sources, options) ? before : recompile(sources, before, options));
    const cold = sourcesOf(folder);
    const expected = compiled(cold, options);
    if (from !== undefined) {
      if (expected.snapshot === undefined)
        assert.unreachable(`edit ${edit}: ${formatPretty(expected.diagnostics, { color: false })}`);
      else assert.equal(resultOf(from), resultOf(expected.snapshot), `edit ${edit}: ${folder.edit}`);
    }
    if (expected.snapshot === undefined) counts.refused += 1;
    else if (from === undefined) counts.complete += 1;
    else counts[from === before ? 'current' : 'partial'] += 1;
    const snapshot = from ?? expected.snapshot;
    const entry = snapshot && encodeEntry('key', { snapshot, bundle: undefined }, from === undefined ? cold : sources);
    if (entry !== undefined) kept = Buffer.concat(entry);
    if (expected.snapshot !== undefined) good = folder;
    // Authors mend what they broke, and edits pile up until most folders are refused.
    const isMended = expected.snapshot === undefined && random.chance(0.85);
    folder = editedFolder(random.chance(0.05) ? FOLDER : isMended ? good : folder, random);
  }
  assert.ok(counts.partial > EDITS / 16, JSON.stringify(counts));
});

test('one changed policy does not parse the others', () => {
  const sources = sourcesOf(FOLDER);
  const options = { schemaTexts: new Map(Object.entries(FOLDER.schemas)) };
  const { snapshot } = compiled(sources, options);
  const path = 'album.yaml';
  const changed = sources.map((source) =>
    source.path === path ? new Source(path, source.text.replace('longest: 5', 'longest: 6')) : source,
  );
  const after = recompile(changed, snapshot as Snapshot, options);
  const differing = after?.files.filter((file) => snapshot?.files.find((other) => other.path === file.path) !== file);
  assert.equal(
    differing?.map((file) => file.path),
    ['hash.ts', 'manifest.json', 'resource/album.ts', 'resource/album.where.ts', 'traced/resource/album.ts'],
  );
});

test('each kind of document may have each kind of literal wherever it has an expression', () => {
  const places = new Set<string>();
  for (const literal of LITERALS.slice(0, rounds(LITERALS.length, 8))) {
    const policies = documentsWith(`dyn(${literal}) == R.attr.x`);
    const folder: Folder = { policies, schemas: {}, options: {}, edit: 'none' };
    const sources = sourcesOf(folder);
    const { snapshot, diagnostics } = compiled(sources, {});
    assert.ok(snapshot, `${literal}: ${formatPretty(diagnostics, { color: false })}`);
    const kept = Buffer.concat(encodeEntry('key', { snapshot, bundle: undefined }, sources) ?? []);
    for (const [path, text] of Object.entries(policies)) {
      const other = text.replaceAll(' == R.attr.x', ' == R.attr.y').replace('{', '{"description": "edited",');
      const edited = { ...folder, policies: { ...policies, [path]: other } };
      const changed = sourcesOf(edited);
      const before = decodeEntry(kept, 'key', changed)?.snapshot;
      assert.ok(before, literal);
      const after = recompile(changed, before, {});
      if (after === undefined) continue;
      places.add(path);
      const cold = compiled(sourcesOf(edited), {}).snapshot;
      assert.equal(resultOf(after), resultOf(cold as Snapshot), `${path}: ${literal}`);
      assert.ok(encodeEntry('key', { snapshot: after, bundle: undefined }, changed), literal);
    }
  }
  assert.equal([...places].sort(), ['principal.yaml', 'resource.yaml', 'role.yaml']);
});

test.run();

/** Documents of each kind with an expression in each member that may have one, and with each type of constant. */
function documentsWith(expr: string): Folder['policies'] {
  const condition = { match: { all: { of: [{ expr }, { any: { of: [{ expr }] } }, { none: { of: [{ expr }] } }] } } };
  const definitions = {
    variables: { import: ['named'], local: { own: expr } },
    constants: { import: ['values'], local: { mine: CONSTANT } },
  };
  const body = { condition, output: { expr, when: { ruleActivated: expr, conditionNotMet: expr } } };
  const [version, resource] = ['default', 'doc'];
  const documents: { readonly [name: string]: object } = {
    constants: { exportConstants: { name: 'values', definitions: { value: CONSTANT } } },
    variables: { exportVariables: { name: 'named', definitions: { shared: expr } } },
    'derived-roles': {
      derivedRoles: { name: 'set', ...definitions, definitions: [{ name: 'owner', parentRoles: ['user'], condition }] },
    },
    resource: {
      variables: { old: expr },
      resourcePolicy: {
        resource,
        version,
        importDerivedRoles: ['set'],
        ...definitions,
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'], derivedRoles: ['owner'], ...body }],
      },
    },
    principal: {
      principalPolicy: {
        principal: 'ann',
        version,
        ...definitions,
        rules: [{ resource, actions: [{ action: 'view', effect: 'EFFECT_DENY', ...body }] }],
      },
    },
    role: {
      rolePolicy: { role: 'user', version, ...definitions, rules: [{ resource, allowActions: ['view'], ...body }] },
    },
    invariants: {
      invariants: {
        name: 'statements',
        ...definitions,
        statements: [
          { name: 'never', never: { resource, actions: ['view'], when: condition, unless: condition } },
          { name: 'implies', implies: { resource, actions: ['view'], also: ['view'], when: condition } },
        ],
      },
    },
    'tenant-roles': {
      tenantRoles: {
        scope: 'tenants.*',
        grants: [{ role: 'user', resources: [{ resource, actions: ['view'] }] }],
      },
    },
  };
  return Object.fromEntries(
    Object.entries(documents).map(([name, document]) => [
      `${name}.yaml`,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', metadata: METADATA, ...document }, undefined, 1),
    ]),
  );
}

function sourcesOf({ policies }: Folder): readonly Source[] {
  return Object.entries(policies)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => new Source(path, text));
}

function compiled(sources: readonly Source[], options: CompileOptions) {
  const compilation = compile(sources, new Diagnostics(), options);
  return { diagnostics: compilation.diagnostics, snapshot: makeSnapshot(sources, compilation, options) };
}

/** All that is written and printed. */
function resultOf({
  files,
  types,
  typeFacts,
  diagnostics,
  documents,
  policies,
  hashed,
  settings,
  sources,
}: Snapshot): unknown {
  const emitted = [...files, types].map(({ path, text, origins }) => [
    path,
    text,
    origins.map(({ line, lines, rule, span: { source, start, end } }) => [line, lines, rule, source.path, start, end]),
  ]);
  const shown = [toReport(diagnostics), formatPretty(diagnostics, { color: false })];
  return { typeFacts, emitted, shown, documents: [...documents], policies, hashed, settings, sources: [...sources] };
}
