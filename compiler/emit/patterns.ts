import { type Doc, bracketed, mention } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { camelCase, upperFirst } from './names.js';
import { quoted } from './quote.js';
import { texts } from './tables.js';

/** Names and globs of a rule, for its `actions`: the names, then one pattern for all globs. */
export function patternDocs(written: readonly string[], context: ModuleContext): readonly Doc[] {
  const glob = globDoc(written, context);
  return [...texts(written.filter((text) => !text.includes('*'))), ...(glob === undefined ? [] : [glob])];
}

/** `*`, or the module constant that matches some globs: `anyComment` for `comment:*`. Undefined if there are none. */
export function globDoc(written: readonly string[], context: ModuleContext): Doc | undefined {
  if (written.includes('*')) return quoted('*');
  const globs = written.filter((text) => text.includes('*'));
  if (globs.length === 0) return undefined;
  const wish = `any${upperFirst(camelCase(globs.slice(0, NAMED).join(' or '), 'name'))}`;
  return context.hoist(wish, bracketed([mention('matchesAny'), '('], texts(globs), ')'));
}

/** The number of globs that a name mentions at most. */
const NAMED = 3;
