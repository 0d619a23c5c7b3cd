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

test.run();

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
