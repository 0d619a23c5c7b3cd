import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { randomNumbers } from '../../tests/support/protobuf.js';
import { MessageProgress } from './message-progress.js';

test('a message is in progress from its first byte to its last, however it is split', () => {
  const next = randomNumbers(3);
  for (let round = 0; round < 300; round++) {
    const ends: number[] = [];
    const parts: Buffer[] = [];
    let length = 0;
    for (let count = next(6); count > 0; count--) {
      const message = Buffer.alloc([0, 1, 300, 70_000][next(4)] as number, 0xff);
      const head = Buffer.alloc(5);
      head.writeUInt8(next(2), 0);
      head.writeUInt32BE(message.length, 1);
      parts.push(head, message);
      length += 5 + message.length;
      ends.push(length);
    }
    const bytes = Buffer.concat(parts);
    const progress = new MessageProgress();
    let began = 0;
    let now = 0;
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + next([1, 5, 400, 100_000][next(4)] as number);
      const end = Math.min(at + size, bytes.length);
      now += 1;
      const hasEnded = progress.add(bytes.subarray(at, end), now);
      assert.is(
        hasEnded,
        ends.some((one) => one > at && one <= end),
      );
      const isWhole = ends.includes(end);
      const lastEnd = Math.max(0, ...ends.filter((one) => one <= end));
      // A message that began in this piece began now.
      if (lastEnd >= at && lastEnd < end) began = now;
      assert.is(progress.partialSince, isWhole ? undefined : began);
      at = end;
    }
  }
});

test.run();
