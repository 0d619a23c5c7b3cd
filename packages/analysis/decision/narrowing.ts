import { literalOrGlob } from '../../../runtime/policy/index.js';
import { kindMatcher } from '../../../compiler/validate/kind-patterns.js';
import { didYouMean, suggestName } from '../../cel/check/did-you-mean.js';
import type { Note } from '../../../compiler/diagnostics/diagnostic.js';
import { nearestName } from '../../cel/nearest-name.js';
import type * as ir from '../../../compiler/ir/program.js';

/** What is looked at, if not everything. */
export interface Narrowing {
  /** Kinds or actions, or globs that match them. */
  readonly kind?: string | undefined;
  readonly action?: string | undefined;
  /** A scope; the root is the empty string. */
  readonly scope?: string | undefined;
}

/** Thrown if no policy is about what is looked at: a report would say that nothing changed. */
export class NothingMatches extends Error {}

/**
 * Throws a NothingMatches if no policy covers the kind, action or scope. A name that only the glob `*` of a
 * policy matches is taken for a typo if it is close to one that policies have.
 */
export function checkNarrowing(
  { kind, action, scope }: Narrowing,
  programs: readonly ir.Program[],
  lenientScopeSearch = false,
): void {
  const modules = programs.flatMap((program) => program.modules);
  const require = (what: string, written: string | undefined, names: readonly string[], isMatch: IsMatch): void => {
    if (written === undefined) return;
    const known = new Set(names);
    if ([...known].some((name) => name !== '*' && isMatch(written, name))) return;
    const [note] = suggestionFor(written, known);
    if (note === undefined && known.has('*') && !written.includes('*')) return;
    throw new NothingMatches(
      `no policy covers ${what} \`${written}\`${note === undefined ? HINT : `: ${note.message}`}`,
    );
  };
  require('kind', kind, modules.flatMap(listKinds), (written, name) =>
    kindMatcher(written)(name) || kindMatcher(name)(written));
  require('action', action, modules.flatMap(listActions), isCommon);
  const scopes = new Set(
    modules.flatMap((module) => (module.kind === 'resource' || module.kind === 'role' ? module.scope : [])),
  );
  if (scope === undefined || scopes.has(scope)) return;
  const [note] = didYouMean(scope, scopes);
  // Lenient search finds the policies of a scope above, and the root is above all.
  const isBelow = [...scopes].some((above) => above !== '' && scope.startsWith(`${above}.`));
  if (!lenientScopeSearch || (note !== undefined && !isBelow))
    throw new NothingMatches(`no policy has scope \`${scope}\`${note === undefined ? HINT : `: ${note.message}`}`);
}

/** Suggests the name, or the beginning of a glob, that is meant: at most one note. */
export function suggestionFor(written: string, known: Iterable<string>): readonly Note[] {
  const star = written.indexOf('*');
  if (star <= 0) return didYouMean(written, known);
  const [beginning, rest] = [written.slice(0, star), written.slice(star)];
  const near = nearestName(
    beginning,
    [...known].map((name) => name.slice(0, star)),
  );
  return near === undefined ? [] : [suggestName(written, `${near}${rest}`)];
}

const HINT = '; `authzc inspect` lists the names';

/** Whether a name or a glob has a name in common with one of a policy. */
type IsMatch = (written: string, name: string) => boolean;

const isCommon: IsMatch = (written, name) =>
  written === name || literalOrGlob(written)(name) || literalOrGlob(name)(written);

function listKinds(module: ir.Module): readonly string[] {
  if (module.kind === 'resource') return [module.resource];
  return module.kind === 'derived-roles' ? [] : module.rules.map(({ resource = '*' }) => resource);
}

/** The actions that rules of a policy name, and their globs. */
export function listActions(module: ir.Module): readonly string[] {
  if (module.kind === 'derived-roles') return [];
  return module.kind === 'role'
    ? module.rules.flatMap(({ allowActions }) => allowActions)
    : module.rules.flatMap(({ actions }) => actions);
}
