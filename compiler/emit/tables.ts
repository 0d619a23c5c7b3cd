import { bracketed, type Doc } from './doc.js';
import { quoted } from './quote.js';

/** `[a, b]`; undefined if it is empty. */
export function listUnlessEmpty(items: readonly Doc[]): Doc | undefined {
  return items.length === 0 ? undefined : bracketed('[', items, ']');
}

/** The properties `version` and `scope` of a policy, unless they have the usual values. */
export function scopeDocs({
  version,
  scope,
}: {
  readonly version: string;
  readonly scope: string;
}): readonly (readonly [name: string, value: Doc | undefined])[] {
  return [
    ['version', version === 'default' ? undefined : quoted(version)],
    ['scope', scope === '' ? undefined : quoted(scope)],
  ];
}

/** `new Map([...])`; undefined if it is empty. */
export function mapUnlessEmpty(entries: readonly (readonly [key: string, value: Doc])[]): Doc | undefined {
  if (entries.length === 0) return undefined;
  return bracketed(
    'new Map([',
    entries.map(([key, value]): Doc => ['[', quoted(key), ', ', value, ']']),
    '])',
  );
}

/** Quoted strings, for a call or a list. */
export function texts(values: readonly string[]): readonly Doc[] {
  return values.map(quoted);
}
