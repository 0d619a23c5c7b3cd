import { didYouMean } from '../../../packages/cel/check/did-you-mean.js';
import type { Note } from '../../diagnostics/diagnostic.js';

/** Advice for an alias without its anchor. */
export function adviseAnchor(name: string, known: Iterable<string>): readonly Note[] {
  const near = didYouMean(name, known);
  if (near.length > 0) return near.map(({ message }) => ({ message }));
  return [
    {
      message: `put \`&${name}\` before the value that is meant, above this line, or put a string in quotes: \`"*${name}"\``,
    },
  ];
}

/** Advice for a document that is nested too deeply. */
export function adviseDepth(): readonly Note[] {
  return [{ message: 'move parts of conditions into variables, and write constants with fewer levels' }];
}

/** Advice for a document with too many values. */
export function adviseAliases(): readonly Note[] {
  return [{ message: 'write the values out, with fewer aliases of aliases' }];
}
