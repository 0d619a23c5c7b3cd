import { writeSync } from 'node:fs';
import { openFileBackend } from '../../server/audit/file/file-backend.js';
import { sampleRecord } from '../support/audit/samples.js';

/** The child processes of file.test.ts. */
const [mode = '', path = 'stdout'] = process.argv.slice(2);
const records = (count: number, padding: number) =>
  Array.from({ length: count }, (_, index) => sampleRecord(index, 0, padding));
const backend = await openFileBackend({ path, additionalPaths: [], logRotation: undefined }, () => {}, [1, 1]);

if (mode === 'limited') {
  const { written, error } = await backend.write(records(100, 1000));
  console.log(`${written} of 100 ${(error as NodeJS.ErrnoException | undefined)?.code}`);
} else if (mode === 'killed') {
  let acknowledged = 0;
  setInterval(() => {
    if (acknowledged === 0) return;
    writeSync(1, String(acknowledged));
    process.kill(process.pid, 'SIGKILL');
  }, 200);
  for (;;) acknowledged += (await backend.write(records(50, 500))).written;
} else if (mode === 'stdout') {
  for (let batch = 0; batch < 3; batch++) await backend.write(records(100, batch * 3000));
} else if (mode === 'gone') {
  await new Promise((resolve) => setTimeout(resolve, 200));
  let result = await backend.write(records(100, 3000));
  if (result.error === undefined) result = await backend.write(records(100, 3000));
  writeSync(
    2,
    `written ${result.written} failed ${100 - result.written} ${(result.error as NodeJS.ErrnoException | undefined)?.code}`,
  );
}
