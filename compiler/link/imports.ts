import { importKey, sanitize } from '../ast/names.js';
import type { PolicyFile } from '../ast/policy.js';
import { didYouMean } from '../../packages/cel/check/did-you-mean.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Located } from '../diagnostics/span.js';
import type { Catalogue, Document } from './catalogue.js';

/** The kinds of importable documents; the first part of their keys. */
type ImportKind = 'derived_roles' | 'export_variables' | 'export_constants';

/** Reports imports that do not name an enabled document of their type (docs/spec/policy-language.md#imports). */
export function reportMissingImports(catalogue: Catalogue, report: Diagnostics): void {
  const known = namesByKind(catalogue);
  for (const document of catalogue.documents) {
    for (const { kind, name, key } of listImports(document.file)) {
      if (catalogue.find(key) !== undefined) continue;
      report.add(
        'import/missing',
        name.place,
        { import: WORDS[kind], name: sanitize(name.value), policy: document.key },
        { hints: () => didYouMean(name.value, known[kind]), facts: { policy: document.key } },
      );
    }
  }
}

/** The kinds as messages name them. */
const WORDS: Readonly<Record<ImportKind, string>> = {
  derived_roles: 'derived roles',
  export_variables: 'variables',
  export_constants: 'constants',
};

/** What a document imports. */
export function listImports({ policy }: PolicyFile): readonly Import[] {
  if (!('variables' in policy)) return [];
  const roles = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...roles.map((name) => makeImport('derived_roles', name)),
    ...policy.constants.imports.map((name) => makeImport('export_constants', name)),
    ...policy.variables.imports.map((name) => makeImport('export_variables', name)),
  ];
}

interface Import {
  readonly kind: ImportKind;
  readonly name: Located<string>;
  readonly key: string;
}

function makeImport(kind: ImportKind, name: Located<string>): Import {
  return { kind, name, key: importKey(kind, name.value) };
}

function namesByKind({ documents }: Catalogue): Readonly<Record<ImportKind, readonly string[]>> {
  const listNames = (kind: ImportKind): readonly string[] =>
    documents.flatMap((document) => importableName(document, kind));
  return {
    derived_roles: listNames('derived_roles'),
    export_variables: listNames('export_variables'),
    export_constants: listNames('export_constants'),
  };
}

function importableName({ key, file: { policy } }: Document, kind: ImportKind): readonly string[] {
  const importable =
    policy.kind === 'derived-roles' || policy.kind === 'export-variables' || policy.kind === 'export-constants';
  return importable && key === importKey(kind, policy.name.value) ? [policy.name.value] : [];
}
