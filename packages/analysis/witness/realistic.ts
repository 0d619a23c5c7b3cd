import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { Path } from '../candidates/candidates.js';
import { withValueAt } from '../candidates/near-misses.js';
import type { AttributeUse, LiteralValues } from './literal-values.js';
import type { Situation } from '../question/situation.js';

/** Values of each type, for searches that know none. */
export const MADE_UP: readonly unknown[] = ['x', 1, 0, false, [], ['x'], ['x', 'y'], {}];

/**
 * A situation with values that a reader knows, as far as it still shows the same: in place of a made-up value, what the
 * policies compare the attribute with, or a name.
 */
export function realistic(
  situation: Situation,
  known: LiteralValues,
  shows: (situation: Situation) => boolean,
): Situation {
  let current = situation;
  const set = (paths: readonly Path[], replacements: readonly unknown[]): boolean =>
    replacements.some((replacement) => {
      const request = paths.reduce(
        (changed, path) => withValueAt(changed, path, replacement) as AccessRequest,
        current.request,
      );
      if (!shows({ ...current, request })) return false;
      current = { ...current, request };
      return true;
    });
  for (const [value, paths] of leavesByValue(situation.request)) {
    const replacements = (path: Path): readonly unknown[] =>
      listReplacements(value, known.findUses(situation.request.resource.kind, path));
    const left = paths.filter((path) => !set([path], replacements(path)));
    // Attributes that are compared with each other have to stay equal.
    if (left.length > 1) set(left, left.flatMap(replacements));
  }
  return current;
}

const NAMES = ['bob', 'carol'];

function listReplacements(value: unknown, { literals, isCompared, isId }: AttributeUse): readonly unknown[] {
  const isReplaced = value === true ? isCompared : isMadeUp(value);
  if (!isReplaced) return [];
  const strings = literals.filter((literal) => typeof literal === 'string');
  const isUpperCase = strings.length > 0 && strings.every((text) => text === text.toUpperCase());
  const others = isId ? NAMES : isUpperCase ? ['OTHER', 'ANOTHER'] : ['other', 'another'];
  const lists = Array.isArray(value) ? [others.slice(0, value.length)] : [];
  return [...literals, ...others, ...lists].filter((other) => other !== value);
}

/** Whether a value is one of those that searches and shrinking make up. */
function isMadeUp(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMadeUp);
  return typeof value === 'string' && (value === 'x' || value === 'y' || value.startsWith('another '));
}

/** The attributes and claims that are not maps: where each value is. */
function leavesByValue({
  principal,
  resource,
  auxData,
}: AccessRequest): readonly (readonly [unknown, readonly Path[]])[] {
  const found = new Map<string, [unknown, Path[]]>();
  const visit = (path: Path, value: unknown): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) visit([...path, name], member);
      return;
    }
    const key = JSON.stringify(value);
    const entry = found.get(key) ?? [value, []];
    entry[1].push(path);
    found.set(key, entry);
  };
  visit(['principal', 'attr'], principal.attr ?? {});
  visit(['resource', 'attr'], resource.attr ?? {});
  visit(['auxData', 'jwt'], auxData?.jwt ?? {});
  return [...found.values()];
}
