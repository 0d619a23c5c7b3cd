import type { PolicyFile, ScopePermissions } from '../ast/policy.js';
import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Catalogue } from './catalogue.js';
import { addTo } from './groups.js';
import { placeOfDocument } from '../ast/places.js';

/**
 * Reports scopes whose policies disagree on `scopePermissions`
 * (docs/spec/policy-language.md#conflicting-scope-permissions). As the model does, it wants one value among the
 * documents of a scope, in path order and without the first, and takes silence for a value of its own. What the model
 * overlooks (docs/spec/policy-language.md#conflicting-scope-permissions) is refused, too: policies that disagree on
 * whether an ALLOW overrides the parent scope. Two policies alone in a scope are never refused there, so here they are
 * a warning. Only resource and principal policies count: the model lets documents count that cannot have the field, or
 * for which it means nothing.
 */
export function reportScopePermissions(catalogue: Catalogue, report: Diagnostics): void {
  const scopes = new Map<string, PolicyFile[]>();
  for (const { file } of catalogue.documents) {
    addTo(scopes, scopeOf(file), file);
  }
  for (const [scope, files] of scopes) {
    const pair = disagreement(files.flatMap(settingOf)) ?? differentValues(files);
    if (pair === undefined) continue;
    report.add(
      files.length > 2 ? 'scope/permissions-conflict' : 'scope/permissions-differ',
      undefined,
      { scope },
      { notes: pair.map(noteOf), facts: scope === '' ? {} : { scope } },
    );
  }
}

/** The first policy and one that decides otherwise whether it overrides the parent scope. */
function disagreement([first, ...others]: readonly Setting[]): readonly Setting[] | undefined {
  const other = others.find((setting) => setting.overrides !== first?.overrides);
  return first === undefined || other === undefined ? undefined : [first, other];
}

/** Two policies with different values, as the model compares them. */
function differentValues([, ...files]: readonly PolicyFile[]): readonly Setting[] | undefined {
  const [first, ...others] = files.flatMap(settingOf);
  const other = others.find(({ written }) => written !== first?.written);
  return first === undefined || other === undefined ? undefined : [first, other];
}

/** Documents without a scope of their own count in the root scope, as they do in the model. */
function scopeOf({ policy }: PolicyFile): string {
  switch (policy.kind) {
    case 'resource':
    case 'principal':
    case 'role':
      return policy.scope;
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
      return '';
  }
}

interface Setting {
  readonly file: PolicyFile;
  readonly written: ScopePermissions;
  readonly overrides: boolean;
}

function settingOf(file: PolicyFile): readonly Setting[] {
  const { policy } = file;
  if (policy.kind !== 'resource' && policy.kind !== 'principal') return [];
  return [
    { file, written: policy.scopePermissions, overrides: policy.scopePermissions !== 'require-parental-consent' },
  ];
}

function noteOf({ file, written, overrides }: Setting): Note {
  const says = overrides ? 'overrides the parent scope' : 'requires the consent of the parent scope';
  const message =
    written === 'unspecified'
      ? `this policy ${says}, because it has no \`scopePermissions\``
      : `this policy ${says}: it says so in \`scopePermissions\``;
  return { message, span: placeOfDocument(file).span };
}
