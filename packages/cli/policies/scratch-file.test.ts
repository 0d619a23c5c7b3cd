import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bytes } from '../../../compiler/recompile/packed-files.js';
import { ScratchFile } from './scratch-file.js';

const test = suite('the temporary file of the compiler');
let folder = '';
test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-scratch-'));
});
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

test('what was taken is read again, in whole or in part', () => {
  const scratch = new ScratchFile(join(folder, 'new', 'folder'));
  const texts = ['one', 'two words', 'x'.repeat(100_000)];
  const stored = texts.map((text) => scratch.append(Buffer.from(text)));
  for (const [index, text] of texts.entries()) {
    const bytes = stored[index] as Bytes;
    assert.is(bytes.length, text.length);
    const read = (start: number, end: number): string => Buffer.from(bytes.subarray(start, end)).toString();
    assert.is(read(0, text.length), text);
    assert.is(read(1, 3), text.slice(1, 3));
  }
});

test('the file has no name, so it ends with the process', () => {
  new ScratchFile(folder).append(Buffer.from('text'));
  assert.equal(readdirSync(folder), []);
});

test('without a folder, everything stays in memory', () => {
  writeFileSync(join(folder, 'file'), '');
  const stored = new ScratchFile(join(folder, 'file', 'folder')).append(Buffer.from('text'));
  assert.is(Buffer.from(stored.subarray(1, 3)).toString(), 'ex');
});

test('what the disk has no room for stays in memory', () => {
  const script = `
    import { ScratchFile } from ${JSON.stringify(new URL('scratch-file.ts', import.meta.url).href)};
    const scratch = new ScratchFile(process.argv[1]);
    const stored = [10, 100_000, 20].map((length) => scratch.append(Buffer.alloc(length, String(length))));
    const read = stored.map((bytes) => [bytes.length, Buffer.from(bytes.subarray(8, 10)).toString()]);
    process.stdout.write(JSON.stringify(read));
  `;
  // Files of up to 16 blocks of 1,024 bytes.
  const command = 'ulimit -f 16; exec "$0" --import tsx --input-type=module --eval "$1" "$2"';
  const printed = execFileSync('bash', ['-c', command, process.execPath, script, folder], { encoding: 'utf8' });
  assert.equal(JSON.parse(printed), [
    [10, '10'],
    [100_000, '00'],
    [20, '20'],
  ]);
});

test.run();
