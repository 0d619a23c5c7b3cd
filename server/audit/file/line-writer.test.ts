import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleRecord } from '../../../tests/support/audit/samples.js';
import { entryLines } from './entry-line.js';
import { LineWriter } from './line-writer.js';

const MEBI = 1024 * 1024;

test('lines of any length are appended as they are, in memory that is used again up to 16 MB', async () => {
  const used: ArrayBufferLike[] = [];
  let appended = Buffer.alloc(0);
  const writer = new LineWriter({
    append: async (bytes) => {
      used.push(bytes.buffer);
      appended = Buffer.from(bytes);
      return bytes.length;
    },
    takeBack: async () => false,
    pieceSize: Number.POSITIVE_INFINITY,
  });
  for (const lengths of [[1], [0, 300, 1000], [12 * MEBI], [5], [3 * MEBI, 9 * MEBI], [17 * MEBI], [MEBI], [2, 3]]) {
    const records = lengths.map((length, index) => sampleRecord(index, 0, length));
    assert.equal(await writer.write(records), { written: records.length, error: undefined });
    assert.ok(appended.equals(entryLines(records)), `${lengths}`);
  }
  const [, , large, , , tooLarge] = used;
  assert.equal(
    used.slice(2).map((buffer) => buffer === large),
    [true, true, true, false, true, true],
  );
  assert.is.not(tooLarge, large);
});

test.run();
