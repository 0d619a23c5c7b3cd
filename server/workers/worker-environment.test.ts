import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WORKER_VARIABLE, workerEnvironment } from './worker-environment.js';

test('workers have the settings of the image and the systemd unit', () => {
  const { [WORKER_VARIABLE]: mark, ...settings } = workerEnvironment({});
  assert.is(mark, '1');
  assert.equal(Object.keys(settings), ['MALLOC_MMAP_THRESHOLD_', 'NODE_OPTIONS']);
  for (const path of ['../../Dockerfile', '../../deploy/systemd/authz.service']) {
    const text = readFileSync(new URL(path, import.meta.url), 'utf8');
    for (const [name, value] of Object.entries(settings)) assert.match(text, `${name}=${value}`, path);
  }
});

test('options of the user come after ours, so that they count', () => {
  const { NODE_OPTIONS = '' } = workerEnvironment({ NODE_OPTIONS: '--max-semi-space-size=1 --no-warnings' });
  assert.is(NODE_OPTIONS, '--max-semi-space-size=16 --max-semi-space-size=1 --no-warnings');
  // The largest space for new objects, in bytes: three times the size on the Nodes of CI.
  const largest = (options: string): number =>
    Number(
      execFileSync(process.execPath, ['--print', "require('node:v8').getHeapStatistics().heap_size_limit"], {
        env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=100 ${options}` },
        encoding: 'utf8',
      }),
    );
  assert.ok(largest(NODE_OPTIONS) < largest('--max-semi-space-size=16'));
});

test.run();
