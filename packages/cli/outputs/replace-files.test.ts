import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openReplacement } from './replace-files.js';

const test = suite('files that are written part by part');

const folder = mkdtempSync(join(tmpdir(), 'authz-replacements-'));
test.after(() => rmSync(folder, { recursive: true }));

test('a file takes the place of the old one when it is whole', () => {
  const path = join(folder, 'export.csv');
  writeFileSync(path, 'old');
  const discarded = openReplacement(path);
  discarded.write('half');
  discarded.discard();
  assert.is(readFileSync(path, 'utf8'), 'old');
  const whole = openReplacement(path);
  whole.write('new');
  assert.is(readFileSync(path, 'utf8'), 'old');
  whole.commit();
  whole.discard();
  assert.is(readFileSync(path, 'utf8'), 'new');
  assert.equal(readdirSync(folder), ['export.csv']);
});

test('a file that cannot take its place is an error about it, and leaves nothing behind', () => {
  const path = join(folder, 'results');
  mkdirSync(path);
  const replacement = openReplacement(path);
  replacement.write('new');
  assert.throws(
    () => {
      try {
        replacement.commit();
      } finally {
        replacement.discard();
      }
    },
    (error: Error) => error.message.includes(path) && error.message.includes('it is a folder'),
  );
  assert.equal(readdirSync(folder).sort(), ['export.csv', 'results']);
});

test.run();
