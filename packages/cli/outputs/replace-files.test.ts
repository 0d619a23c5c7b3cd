import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openReplacement, replaceFiles } from './replace-files.js';

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

// By links, as root could replace the device itself.
if (existsSync('/dev/full'))
  test('a device is written to and stays what it is', () => {
    const links = mkdtempSync(join(folder, 'devices-'));
    const path = (device: string): string => join(links, device);
    for (const device of ['null', 'full']) symlinkSync(`/dev/${device}`, path(device));
    const write = (device: string): void => {
      const replacement = openReplacement(path(device));
      replacement.write('new');
      try {
        replacement.commit();
      } finally {
        replacement.discard();
      }
    };
    write('null');
    replaceFiles([{ path: path('null'), text: 'new', durable: true }]);
    assert.throws(() => write('full'), /no space left/);
    assert.throws(() => replaceFiles([{ path: path('full'), text: 'new' }]), /no space left/);
    assert.equal(readdirSync(links).sort(), ['full', 'null']);
    for (const device of ['null', 'full']) assert.is(readlinkSync(path(device)), `/dev/${device}`);
  });

test.run();
