/*
 * Runs test files one after the other, in the order given. Ends with code 1 at the first file that fails; with `--all`
 * it goes on. Prints the file that it runs.
 */
import { pathToFileURL } from 'node:url';

const state = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: unknown[][] };
state.UVU_DEFER = 1;
const { exec } = (await import('uvu')) as unknown as { exec: (bail: boolean) => Promise<void> };

/** Returns the errors and the numbers of tests: passed, skipped, total. */
type Suite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;

/** uvu forgives a suite whose hooks throw, and leaves out its tests: here it has failed. */
const whole =
  (suite: Suite): Suite =>
  async () => {
    const [errors, passed, skipped, total] = await suite();
    return [errors === true && passed < total ? 'a hook failed' : errors, passed, skipped, total];
  };

const isWhole = process.argv[2] === '--all';
for (const file of process.argv.slice(isWhole ? 3 : 2)) {
  process.stdout.write(`\n@test ${file}\n`);
  state.UVU_QUEUE = [[file]];
  state.UVU_INDEX = 0;
  await import(pathToFileURL(file).href);
  state.UVU_QUEUE[0] = [file, ...(state.UVU_QUEUE[0] ?? []).slice(1).map((suite) => whole(suite as Suite))];
  await exec(!isWhole);
}
process.stdout.write('\n@done\n');
process.exit(0);
