import type { Hint } from '../../packages/cel/check/did-you-mean.js';
import type { Catalogue } from './catalogue.js';

/** Documents whose definitions others import, and the key that imports each. */
const IMPORTED_BY = {
  'derived-roles': 'importDerivedRoles',
  'export-variables': 'variables.import',
  'export-constants': 'constants.import',
} as const;

/** Suggests with at most one note which sets define a name, so that one of them can be imported. */
export function suggestSets(name: string, kind: keyof typeof IMPORTED_BY, catalogue: Catalogue): readonly Hint[] {
  const sets = catalogue.documents.flatMap(({ file: { policy } }) =>
    policy.kind === kind && policy.definitions.some((definition) => definition.name.value === name)
      ? [policy.name.value]
      : [],
  );
  const [first] = sets;
  if (first === undefined) return [];
  const others = sets.length > 1 ? ` (also in ${quoted(sets.slice(1, MOST_SETS))})` : '';
  return [{ message: `\`${name}\` is defined in \`${first}\`${others}: add \`${first}\` to \`${IMPORTED_BY[kind]}\`` }];
}

const MOST_SETS = 4;

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
