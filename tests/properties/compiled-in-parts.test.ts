import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile, type CompileOptions } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { makeSnapshot } from '../../compiler/recompile/index.js';
import { packed, unpacked } from '../../compiler/recompile/packed-part.js';
import { type CompiledPart, compilePart, mergeParts } from '../../compiler/recompile/parts.js';
import { partition } from '../../compiler/recompile/partition.js';
import type { Snapshot } from '../../compiler/recompile/snapshot.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { editedFolder, FOLDER, type Folder } from '../support/recompile/edits.js';

const test = suite('compiling in parts');

/** Invariants may name any policy: with them a folder has no parts. */
const POLICIES: Folder = {
  ...FOLDER,
  policies: Object.fromEntries(Object.entries(FOLDER.policies).filter(([path]) => path !== 'invariants.yaml')),
};

const EDITS = rounds(150, 20);

test('a folder edited at random compiles to the same files and warnings in parts as at once', () => {
  const random = new Random(SEED + 5);
  let folder = POLICIES;
  let good = POLICIES;
  const counts = { parts: 0, atOnce: 0, refused: 0 };
  for (let edit = 0; edit < EDITS; edit += 1) {
    const options = {
      schemaTexts: new Map(Object.entries(folder.schemas)),
      ...folder.options,
      scopedFrom: random.pick([1, 1_000]),
    };
    const sources = sourcesOf(folder);
    const compilation = compile(sources, new Diagnostics(), options);
    const expected = makeSnapshot(sources, compilation, options);
    const actual = inParts(folder, random.pick([1, 3, 7]), options);
    const named = `edit ${edit}: ${folder.edit}`;
    if (actual === undefined) counts[expected === undefined ? 'refused' : 'atOnce'] += 1;
    else {
      if (expected === undefined)
        assert.unreachable(`${named}: ${formatPretty(compilation.diagnostics, { color: false })}`);
      else assertEqual(actual, expected, named);
      counts.parts += 1;
    }
    if (expected !== undefined) good = folder;
    const isMended = expected === undefined && random.chance(0.85);
    folder = editedFolder(random.chance(0.05) ? POLICIES : isMended ? good : folder, random);
  }
  assert.ok(counts.parts > EDITS / 5, JSON.stringify(counts));
});

test('all scopes of a policy are in one part if they fit, and shared documents in none', () => {
  const { shared, parts } = partition(sourcesOf(POLICIES), { characters: Number.POSITIVE_INFINITY, policies: 3 });
  const paths = (sources: readonly Source[]): string => sources.map(({ path }) => path).join(' ');
  assert.is(paths(shared), 'common.yaml others.yaml shared_constants.yaml shared_variables.yaml');
  assert.equal(
    parts.map(({ policies, above }) => [paths(policies), paths(above)]),
    [
      ['album.yaml album_acme.yaml album_acme_hr.yaml', ''],
      ['leave.yaml leave_next.yaml photo.yaml', ''],
      ['principal.yaml role.yaml', ''],
    ],
  );
});

test('too many scopes of a policy are in parts of their first segments, below the policies of the root', () => {
  const { parts } = partition(sourcesOf(POLICIES), { characters: Number.POSITIVE_INFINITY, policies: 2 });
  const paths = (sources: readonly Source[]): string => sources.map(({ path }) => path).join(' ');
  assert.equal(
    parts.map(({ policies, above }) => [paths(policies), paths(above)]),
    [
      ['album.yaml', ''],
      ['leave.yaml leave_next.yaml', ''],
      ['photo.yaml principal.yaml', ''],
      ['role.yaml', ''],
      ['album_acme.yaml album_acme_hr.yaml', 'album.yaml'],
    ],
  );
});

test('a set with invariants has no parts', () => {
  const { shared, parts } = partition(sourcesOf(FOLDER));
  assert.equal(parts, []);
  assert.is(shared.length, Object.keys(FOLDER.policies).length);
});

test('what depends on other parts is not merged', () => {
  const policyOf = (lines: string): string =>
    `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  version: default\n${lines}  rules: []\n`;
  const withSchema = (kind: string, ref: string): string =>
    policyOf(`  resource: ${kind}\n  schemas:\n    resourceSchema:\n      ref: authz:///${ref}.json\n`);
  const cases: { readonly [name: string]: Folder['policies'] } = {
    'a kind that is spelled in two ways': {
      'one.yaml': policyOf('  resource: album\n'),
      'two.yaml': policyOf('  resource: "\\x61lbum"\n  scope: acme\n'),
    },
    'paths that differ only in case': {
      'one.yaml': policyOf('  resource: album\n'),
      'two.yaml': policyOf('  resource: Album\n'),
    },
    'schemas of the same name': {
      'one.yaml': withSchema('album', 'one/item'),
      'two.yaml': withSchema('photo', 'two/item'),
    },
    'shared definitions that look like a policy': {
      'one.yaml':
        'apiVersion: api.authz.dev/v1\nexportConstants:\n  name: one\n  definitions:\n    resourcePolicy: 1\n',
      'two.yaml': policyOf('  resource: photo\n  constants:\n    import: [one]\n'),
    },
  };
  const schemas = { 'one/item.json': '{ "type": "object" }', 'two/item.json': '{ "type": "object" }' };
  for (const [name, policies] of Object.entries(cases)) {
    const options = { schemaTexts: new Map(Object.entries(schemas)) };
    assert.ok(compile(sourcesOf({ ...FOLDER, policies }), new Diagnostics(), options).files.length > 0, name);
    assert.is(inParts({ ...FOLDER, policies, schemas }, 1, options), undefined, name);
  }
});

test.run();

function inParts(folder: Folder, policies: number, options: CompileOptions): Snapshot | undefined {
  const sources = sourcesOf(folder);
  const { shared, parts } = partition(sourcesOf(folder), { characters: Number.POSITIVE_INFINITY, policies });
  const compiled = parts.map((part) =>
    sentBack(compilePart(shared, part, options), [...shared, ...part.above, ...part.policies], sources),
  );
  return compiled.every((part) => part !== undefined) ? mergeParts(sources, shared, compiled, options) : undefined;
}

/** As after another thread has compiled it. */
function sentBack(
  part: CompiledPart | undefined,
  own: readonly Source[],
  sources: readonly Source[],
): CompiledPart | undefined {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return (
    part &&
    unpacked(
      structuredClone(packed(part, own)),
      own.map(({ path }) => byPath.get(path) as Source),
    )
  );
}

function sourcesOf({ policies }: Folder): readonly Source[] {
  return Object.entries(policies)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => new Source(path, text));
}

/** Compares in steps, so that a failure prints only what differs. */
function assertEqual(actual: Snapshot, expected: Snapshot, named: string): void {
  const [one, other] = [resultOf(actual), resultOf(expected)];
  for (const [name, value] of Object.entries(other)) {
    assert.is(JSON.stringify(one[name], undefined, 1), JSON.stringify(value, undefined, 1), `${named}: ${name}`);
  }
}

/** All that is written and printed. */
function resultOf({ files, types, diagnostics, documents, sources, ...rest }: Snapshot): Record<string, unknown> {
  const emitted = [...files, types].map(({ path, text, pieces, imports, exports, lists, origins, places }) => ({
    path,
    text,
    code: [pieces.numbers, imports, exports, lists],
    origins: origins.map(({ line, lines, rule, span: { source, start, end } }) => [
      line,
      lines,
      rule,
      source.path,
      start,
      end,
    ]),
    places: places.map(({ offset, source, at, isEnd }) => [offset, source.path, at, isEnd]),
  }));
  const shown = [toReport(diagnostics), formatPretty(diagnostics, { color: false })];
  const byPath = Object.fromEntries(emitted.map((file) => [file.path, file]));
  const paths = emitted.map(({ path }) => path);
  return { ...byPath, paths, shown, documents: [...documents], sources: [...sources], ...rest };
}
