import { and } from './logic.js';
import { has } from './selection.js';
import { ATTRIBUTES, path, type Term, Unknown } from './term.js';

/** Whether a path can be read, as a term: each of its fields is there. Undefined for what is no path. */
export function isReadable(term: Term): Term | undefined {
  return hopsOf(term)?.reduceRight<Term>((rest, hop) => and(hop, rest), true);
}

/** Presence tests that all hold exactly where a path can be read; undefined for what is no path. */
function hopsOf(term: Term): readonly Term[] | undefined {
  if (!(term instanceof Unknown) || term.node.kind !== 'path') return undefined;
  const { root, fields } = term.node;
  const from = root === ATTRIBUTES ? 1 : 0;
  const tests: Term[] = [];
  for (let length = Math.max(from, 1); length <= fields.length; length++) {
    const parent = path(root, fields.slice(0, length - 1));
    tests.push(has(parent, (fields[length - 1] as { name: string }).name));
  }
  return tests;
}
