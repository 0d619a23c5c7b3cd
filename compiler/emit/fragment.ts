import { type Doc, group, indent } from './doc.js';

/** How tightly a JavaScript expression binds, loosest first. */
const LEVELS = ['or', 'and', 'equality', 'unary', 'primary'] as const;
export type Level = (typeof LEVELS)[number];

/** A JavaScript expression as a doc, and whether it needs parentheses inside another. */
export interface Fragment {
  readonly doc: Doc;
  readonly level: Level;
}

export const primary = (doc: Doc): Fragment => ({ doc, level: 'primary' });

/** The fragment in a context that requires at least `level`, in parentheses if it binds less tightly. */
export function atLeast(level: Level, fragment: Fragment): Doc {
  if (LEVELS.indexOf(fragment.level) >= LEVELS.indexOf(level)) return fragment.doc;
  return group(['(', indent(fragment.doc), ')']);
}
