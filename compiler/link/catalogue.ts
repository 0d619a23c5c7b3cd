import { makePolicyKey } from '../ast/names.js';
import type { Policy, PolicyFile } from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { placeOfDocument } from '../ast/places.js';

/** The enabled documents of a set by their keys (docs/spec/policy-language.md#policy-keys-and-rule-names). */
export interface Catalogue {
  /** Documents in path order. */
  readonly documents: readonly Document[];
  find(key: string): PolicyFile | undefined;
}

export interface Document {
  readonly key: string;
  readonly file: PolicyFile;
}

/** A document of a known type. */
export type FileOf<K extends Policy['kind']> = PolicyFile & { readonly policy: Extract<Policy, { readonly kind: K }> };

/** Narrows a file by the type of its document; the file stays the same object. */
export function hasKind<K extends Policy['kind']>(file: PolicyFile, kind: K): file is FileOf<K> {
  return file.policy.kind === kind;
}

/**
 * Indexes the documents by key. A second document with the same key is reported and left out
 * (docs/spec/policy-language.md#identity).
 */
export function makeCatalogue(files: readonly PolicyFile[], report: Diagnostics): Catalogue {
  const byKey = new Map<string, PolicyFile>();
  for (const file of [...files].sort(byPath)) {
    const key = makePolicyKey(file.policy);
    const previous = byKey.get(key);
    if (previous === undefined) {
      byKey.set(key, file);
      continue;
    }
    const otherFile = previous.source.path;
    report.add(
      'policy/duplicate',
      placeOfDocument(file),
      { policy: key, otherFile },
      {
        notes: [{ message: 'first defined here', span: placeOfDocument(previous).span }],
        facts: { policy: key, otherFile },
      },
    );
  }
  return { documents: [...byKey].map(([key, file]) => ({ key, file })), find: (key) => byKey.get(key) };
}

/** The order in which a directory walk visits them: names are compared folder by folder. */
function byPath(a: PolicyFile, b: PolicyFile): number {
  const left = a.source.path.split('/');
  const right = b.source.path.split('/');
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    const [x, y] = [left[i] as string, right[i] as string];
    if (x !== y) return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
