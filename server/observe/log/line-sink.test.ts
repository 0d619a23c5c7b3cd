import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LineSink } from './line-sink.js';
import { until } from '../../../tests/support/timeout.js';

test('all lines are written completely and in order', async () => {
  await withFile(async (fd, read) => {
    const sink = new LineSink(fd, 1000);
    const lines = Array.from({ length: 5000 }, (_, index) => `{"line":${index},"ü":"é"}\n`);
    for (const line of lines) {
      sink.write(line);
      if (line.length % 7 === 0) await new Promise(setImmediate);
    }
    await sink.flush();
    assert.is(read(), lines.join(''));
    assert.is(sink.dropped, 0);
  });
});

test('a single line is written after a short delay', async () => {
  await withFile(async (fd, read) => {
    new LineSink(fd, 1000).write('one\n');
    assert.is(read(), '');
    await until(() => read() !== '', 'a line');
    assert.is(read(), 'one\n');
  });
});

test('remaining lines are written when the process ends', async () => {
  await withFile(async (fd, read) => {
    const sink = new LineSink(fd, 1000);
    sink.write('one\n');
    sink.write('two\n');
    sink.flushSync();
    assert.is(read(), 'one\ntwo\n');
    await sink.flush();
    assert.is(read(), 'one\ntwo\n');
  });
});

test('an output that cannot be written loses lines and does not stop the server', async () => {
  const readOnly = openSync('/dev/null', 'r');
  const sink = new LineSink(readOnly, 1);
  sink.write('one\n');
  assert.is(await sink.flush(), undefined);
  sink.write('two\n');
  assert.is(await sink.flush(), undefined);
  sink.write('three\n');
  assert.not.throws(() => sink.flushSync());
  // Left open: a sink that tries again would write to whatever is opened next under its number.
});

test('lines over the limit are dropped and counted', async () => {
  await withFile(async (fd, read) => {
    const sink = new LineSink(fd, 1);
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let index = 0; index < 20; index++) sink.write(line);
    assert.ok(sink.dropped > 0);
    await sink.flush();
    assert.is(read().length / line.length, 20 - sink.dropped);
  });
});

test.run();

async function withFile(run: (fd: number, read: () => string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-log-'));
  const file = join(folder, 'log');
  const fd = openSync(file, 'w');
  try {
    await run(fd, () => readFileSync(file, 'utf8'));
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}
