import { isGlob, sanitize } from '../../../runtime/policy/index.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { Program } from '../../../compiler/ir/program.js';

/**
 * The sentence that no policy covers the kind of a request, with the kind that is probably meant; undefined if one does.
 * A policy of another principal covers the kinds that it names, but not those that only its globs match.
 */
export function uncoveredKind({ modules }: Program, { kind, principal }: AskedKind): string | undefined {
  const name = sanitize(kind);
  const known = new Set<string>();
  for (const module of modules) {
    if (module.kind === 'resource') {
      if (module.kindName === name) return undefined;
      known.add(module.resource);
    } else if (module.kind === 'principal') {
      for (const { resource = '*' } of module.rules)
        if (resource === name || (isGlob(resource) && module.principal === principal)) return undefined;
    }
  }
  const [note] = didYouMean(kind, known);
  return `no policy covers kind \`${kind}\`${note === undefined ? '' : `: ${note.message}`}`;
}

/** The kind of a request, and who asks. */
interface AskedKind {
  readonly kind: string;
  readonly principal: string;
}
