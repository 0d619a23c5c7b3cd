/* Runs test files one after the other, in the order given, and ends with code 1 at the first failure. Says which file it is at. */
import { pathToFileURL } from 'node:url';

const state = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: unknown[][] };
state.UVU_DEFER = 1;
const { exec } = (await import('uvu')) as unknown as { exec: (bail: boolean) => Promise<void> };

for (const file of process.argv.slice(2)) {
  process.stdout.write(`\n@test ${file}\n`);
  state.UVU_QUEUE = [[file]];
  state.UVU_INDEX = 0;
  await import(pathToFileURL(file).href);
  await exec(true);
}
process.stdout.write('\n@done\n');
process.exit(0);
