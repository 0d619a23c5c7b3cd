import type { Range } from './mutations.js';

/** An expression to watch. */
export interface Site extends Range {
  readonly id: number;
}

/** The text, reporting each of the expressions when it is evaluated. */
export function probed(text: string, sites: readonly Site[]): string {
  const insertions = sites.flatMap(({ id, start, end }) => [
    { at: start, inserted: `(globalThis.__reached?.(${id}), ` },
    { at: end, inserted: ')' },
  ]);
  insertions.sort((a, b) => a.at - b.at);
  let probedText = '';
  let last = 0;
  for (const { at, inserted } of insertions) {
    probedText += text.slice(last, at) + inserted;
    last = at;
  }
  return probedText + text.slice(last);
}

/**
 * A module that every process of a test loads first: it appends each expression that is reached to a file, at once,
 * since tests kill processes.
 */
export const RECORDER = `
import { appendFileSync } from 'node:fs';
const seen = new Set();
globalThis.__reached = (id) => {
  if (seen.has(id)) return;
  seen.add(id);
  appendFileSync(process.env.AUTHZ_REACHED, id + '\\n');
};
`;
