import * as v from 'valibot';
import { about, mustBe } from './schema-type.js';
import { text } from './value-types.js';

/** A place in an entry: names and list positions from one of the roots down; `*` is every member or item. */
export interface MaskPath {
  readonly root: MaskRoot;
  readonly steps: readonly string[];
}

/** The parts of an entry that can be masked (docs/spec/server.md#configuration, the idea of `mask`). */
const MASK_ROOTS = ['principal', 'resource', 'auxData', 'requestContext', 'metadata', 'peer', 'outputs'] as const;
export type MaskRoot = (typeof MASK_ROOTS)[number];

/**
 * Parses `principal.attr.ssn`, `resource.attr.cards[*].number`, `principal.attr["odd.name"]`: a root, then at least one
 * step. For an invalid path, returns the reason as a string that can follow the name of the key.
 */
export function parseMaskPath(text: string): MaskPath | string {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const step = STEP.exec(text);
    if (step === null) return `\`${text}\` is not a path: unexpected character at ${at + 1}`;
    if (at > 0 && step[1] === undefined && step[2] !== undefined)
      return `\`${text}\` is not a path: unexpected character at ${at + 1}`;
    steps.push(step[2] ?? step[3] ?? step[4] ?? step[5] ?? '');
  }
  const root = MASK_ROOTS.find((known) => known === steps[0]);
  if (root === undefined || text.startsWith('.') || text.startsWith('['))
    return `\`${text}\` does not begin with one of ${MASK_ROOTS.join(', ')}`;
  if (steps.length === 1) return `\`${text}\` names no member of ${root}`;
  return { root, steps: steps.slice(1) };
}

/** `.name`, `["name"]`, `['name']`, `[0]`, `[*]`. */
const STEP = /(\.)?([^.[\]"']+)|\[(?:"([^"]*)"|'([^']*)')\]|\[(\d+|\*)\]/y;

/** An item of `audit.mask`. */
export const maskPath = v.pipe(
  text,
  v.rawTransform<string, MaskPath>(({ dataset: { value }, addIssue, NEVER }) => {
    const path = parseMaskPath(value);
    if (typeof path !== 'string') return path;
    addIssue({ message: mustBe(`a path such as \`principal.attr.ssn\`: ${path}`, false) });
    return NEVER;
  }),
  about({ words: 'path', json: { type: 'string', minLength: 1 } }),
);
