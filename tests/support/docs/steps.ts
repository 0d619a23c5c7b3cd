import type { Block, Page } from './blocks.js';
import type { Shell } from './shell-blocks.js';

const STEPS: readonly string[] = ['sh', 'console', 'http'];

/** Whether a page has commands or requests. */
export function hasSteps({ blocks }: Page): boolean {
  return blocks.some(({ language }) => STEPS.includes(language));
}

/**
 * Runs the commands and requests of a page, one after another, and returns the differences of the first that does not
 * print what the page shows. Closes the shell.
 */
export async function runSteps(
  { blocks }: Page,
  shell: Shell,
  runHttp: (block: Block, base: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  try {
    for (const block of blocks) {
      if (block.words.has('excerpt')) problems.push(...shell.quotes(block));
      else if (block.file !== undefined) shell.write(block);
      if (block.words.has('output')) problems.push(...shell.compare(block));
      else if (block.words.has('serve')) problems.push(...(await shell.serve(block)));
      else if (block.language === 'sh' || block.language === 'console') problems.push(...(await shell.run(block)));
      else if (block.language === 'http') problems.push(...(await runHttp(block, shell.base())));
      // Errors after a failed step would only hide it.
      if (problems.length > 0) return problems;
    }
    return problems;
  } finally {
    await shell.close();
  }
}
