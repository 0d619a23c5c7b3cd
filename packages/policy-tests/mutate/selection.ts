import { matchesAny } from '../../../runtime/policy/index.js';
import { NothingMatches, suggestionFor } from '../../analysis/decision/narrowing.js';
import { randomNumbers } from '../../analysis/witness/random-numbers.js';
import type { Mutant } from './mutants.js';

/** Which mutants are tried. */
export interface Selection {
  /** Only mutants of these rules: a glob of their names, or of names with the policy. */
  readonly rule?: string | undefined;
  /** The size of a random sample, and its seed. */
  readonly count?: number | undefined;
  readonly seed?: number | undefined;
}

/** The mutants that are tried, in their order. Equal seeds choose equal samples. Throws a NothingMatches. */
export function selected(
  mutants: readonly Mutant[],
  { rule, count = Infinity, seed = 1 }: Selection,
): readonly Mutant[] {
  const matches = rule === undefined ? () => true : matchesAny(rule);
  const named = mutants.filter(
    ({ rules }) => rule === undefined || rules.some((key) => matches(key) || matches(namePolicy(key))),
  );
  if (rule !== undefined && named.length === 0 && mutants.length > 0) {
    const names = mutants.flatMap(({ rules }) => rules.flatMap((key) => [key, namePolicy(key)]));
    const [note] = suggestionFor(rule, names);
    throw new NothingMatches(`no rule is \`${rule}\`${note === undefined ? '' : `: ${note.message}`}`);
  }
  if (count >= named.length) return named;
  const random = randomNumbers(seed);
  return named
    .map((mutant, index) => ({ mutant, index, place: random() }))
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ mutant }) => mutant);
}

/** The name of a rule in its policy. */
function namePolicy(key: string): string {
  return key.slice(key.indexOf('#') + 1);
}
