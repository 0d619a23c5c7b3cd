import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { randomNumbers } from '../../tests/support/protobuf.js';
import { EntryMemory } from './entry-memory.js';

test('an entry keeps its bytes until it is freed, whatever else comes and goes', () => {
  const next = randomNumbers(1);
  const alphabets = ['a', 'é', '€', '😀', '\ud800'];
  for (let run = 0; run < 20; run++) {
    const memory = new EntryMemory();
    const open: { readonly text: string; readonly bytes: Buffer }[] = [];
    for (let step = 0; step < 400; step++) {
      if (next(100) < 30 + run * 2 && open.length > 0) {
        const [{ text, bytes }] = open.splice(next(open.length), 1) as [(typeof open)[number]];
        assert.ok(bytes.equals(Buffer.from(text)));
        memory.free(bytes);
      } else {
        const length = next(10) === 0 ? next(200_000) : next(2000);
        const text = `${step} ${(alphabets[next(alphabets.length)] as string).repeat(length)}`;
        open.push({ text, bytes: memory.encode(text) });
      }
    }
    for (const { text, bytes } of open) assert.ok(bytes.equals(Buffer.from(text)));
  }
});

test('memory is used again, and no more of it than waited at once', () => {
  const memory = new EntryMemory();
  const used = new Set<ArrayBufferLike>();
  const text = 'a'.repeat(50_000);
  for (let round = 0; round < 200; round++) {
    const entries = Array.from({ length: 60 }, () => memory.encode(text));
    for (const { buffer } of entries) used.add(buffer);
    for (const entry of entries) memory.free(entry);
  }
  assert.ok(used.size <= 4, `${used.size} chunks`);
});

test('the memory of an entry that is abandoned is not used again', () => {
  const memory = new EntryMemory();
  const text = 'a'.repeat(50_000);
  const entries = Array.from({ length: 60 }, () => memory.encode(text));
  const abandoned = [entries[0], entries[59]] as readonly Buffer[];
  for (const entry of abandoned) memory.abandon(entry);
  for (const entry of entries.slice(1, 59)) memory.free(entry);
  for (let round = 0; round < 10; round++) {
    const others = Array.from({ length: 60 }, () => memory.encode('b'.repeat(50_000)));
    for (const other of others) memory.free(other);
  }
  for (const entry of abandoned) assert.is(entry.toString(), text);
});

test('a long entry, and bytes from elsewhere, have memory of their own', () => {
  const memory = new EntryMemory();
  const text = 'a'.repeat(2 * 1024 * 1024);
  const long = memory.encode(text);
  memory.free(long);
  memory.free(Buffer.from('elsewhere'));
  memory.encode('"short"');
  assert.ok(long.equals(Buffer.from(text)));
});

test.run();
