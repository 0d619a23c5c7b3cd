import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../compiler/compile.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { makeSnapshot } from '../../../compiler/recompile/index.js';
import type { Snapshot } from '../../../compiler/recompile/snapshot.js';
import { FOLDER } from '../../../tests/support/recompile/edits.js';
import { type CacheEntry, decodeEntry, encodeEntry } from './entry.js';

const test = suite('entries of the cache');

const SOURCES = Object.entries(FOLDER.policies).map(([path, text]) => new Source(path, text));
const OPTIONS = { schemaTexts: new Map(Object.entries(FOLDER.schemas)) };
const ENTRY: CacheEntry = {
  snapshot: makeSnapshot(SOURCES, compile(SOURCES, undefined, OPTIONS), OPTIONS) as Snapshot,
  bundle: { settings: 'settings', js: 'js', map: 'map' },
};
const BYTES = Buffer.concat(encodeEntry('key', ENTRY, SOURCES) as Buffer[]);

test('an entry is read as it was written', () => {
  const { snapshot, bundle } = decodeEntry(BYTES, 'key', SOURCES) as CacheEntry;
  const [types, ...files] = [snapshot.types, ...snapshot.files].map(
    ({ path, text, pieces, imports, exports, lists, origins, places }) => {
      return { path, text, pieces, imports, exports, lists, origins, places };
    },
  );
  assert.equal({ snapshot: { ...snapshot, files, types }, bundle }, ENTRY);
});

test('an entry of another key or version is ignored', () => {
  assert.is(decodeEntry(BYTES, 'other', SOURCES), undefined);
  const older = BYTES.toString('latin1').replace('authzc-cache 4', 'authzc-cache 3');
  assert.is(decodeEntry(Buffer.from(older, 'latin1'), 'key', SOURCES), undefined);
});

test('an entry that is cut, longer or differs in one bit is ignored', () => {
  const step = Math.ceil(BYTES.length / 200);
  for (let at = 0; at < BYTES.length; at += at < 200 ? 1 : step) {
    const flipped = Buffer.from(BYTES);
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
    assert.is(decodeEntry(flipped, 'key', SOURCES), undefined, `bit ${at}`);
    assert.is(decodeEntry(BYTES.subarray(0, at), 'key', SOURCES), undefined, `length ${at}`);
  }
  assert.is(decodeEntry(Buffer.concat([BYTES, Buffer.from(' ')]), 'key', SOURCES), undefined);
});

test.run();
