import type { PolicyFile, ScopePermissions } from '../ast/policy.js';
import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Catalogue } from './catalogue.js';
import { addTo } from './groups.js';
import { placeOfDocument } from '../ast/places.js';

/**
 * Reports scopes whose policies disagree on `scopePermissions` (policy-language.md 3.13). Only a real disagreement counts: of resource and principal
 * policies, on whether an ALLOW overrides the parent scope. The model overlooks the first document of a scope and leaves the rest to its load order
 * (8.10-D7); here such a scope is refused, but for two policies alone in it, which the model never refuses: those are a warning.
 */
export function reportScopePermissions(catalogue: Catalogue, report: Diagnostics): void {
  const scopes = new Map<string, PolicyFile[]>();
  for (const { file } of catalogue.documents) {
    addTo(scopes, scopeOf(file), file);
  }
  for (const [scope, files] of scopes) {
    const [first, ...others] = files.flatMap(settingOf);
    const other = others.find((setting) => setting.overrides !== first?.overrides);
    if (first === undefined || other === undefined) continue;
    report.add(
      files.length > 2 ? 'scope/permissions-conflict' : 'scope/permissions-differ',
      undefined,
      { scope },
      { notes: [first, other].map(noteOf), facts: scope === '' ? {} : { scope } },
    );
  }
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
  return [{ file, written: policy.scopePermissions, overrides: policy.scopePermissions !== 'require-parental-consent' }];
}

function noteOf({ file, written, overrides }: Setting): Note {
  const says = overrides ? 'overrides the parent scope' : 'requires the consent of the parent scope';
  const message = written === 'unspecified' ? `this policy ${says}, being silent about it` : `this policy ${says}`;
  return { message, span: placeOfDocument(file).span };
}
