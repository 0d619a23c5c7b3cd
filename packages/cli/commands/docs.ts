import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import { messages } from '../../../compiler/diagnostics/messages.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { MissingError } from '../report.js';

/**
 * `authzc docs`: prints the page of a diagnostic, in Markdown, or the list of all. The pages are in the package. Returns
 * the exit code.
 */
export function docsCommand(code: string | undefined, context: CommandContext): number {
  context.stdout.write(readPage(code));
  return EXIT.done;
}

function readPage(code: string | undefined): string {
  const codes = Object.keys(messages);
  if (code !== undefined && !codes.includes(code))
    throw new MissingError(`no diagnostic has the code \`${visible(code)}\``, undefined, [
      ...didYouMean(code, codes),
      { message: '`authzc docs` lists all of them' },
    ]);
  const name = code === undefined ? 'README' : code.replace('/', '__');
  const text = readFileSync(join(dirname(runtimeFolder()), 'docs', 'diagnostics', `${name}.md`), 'utf8');
  // Pages begin with a comment for those who would edit them.
  return text.replace(/^<!--[^>]*-->\n+/, '');
}
