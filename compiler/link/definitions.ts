import { importKey } from '../ast/names.js';
import type { Expression, JsonValue, PolicyFile } from '../ast/policy.js';
import type { Located, Place } from '../diagnostics/span.js';
import type { Catalogue, FileOf } from './catalogue.js';

/** A document that can have variables and constants. */
export type Importer = FileOf<'resource' | 'principal' | 'role' | 'derived-roles'>;

/** A variable or constant as one place defines it. */
export interface Definition<T> {
  readonly name: Located<string>;
  readonly value: T;
  /** Of the value. */
  readonly place: Place;
  readonly file: PolicyFile;
  /** Where it comes from, as messages say it: `import 'common'`. */
  readonly origin: string;
}

/**
 * The constants a document can name: imported, then local ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants). A missing import has none.
 */
export function constantsOf(file: Importer, catalogue: Catalogue): readonly Definition<JsonValue>[] {
  const { imports, local } = file.policy.constants;
  const imported = imports.flatMap(({ value: name }) => {
    const from = catalogue.find(importKey('export_constants', name));
    if (from?.policy.kind !== 'export-constants') return [];
    return from.policy.definitions.map((definition) => ({ ...definition, file: from, origin: `import '${name}'` }));
  });
  return [...imported, ...local.map((definition) => ({ ...definition, file, origin: 'policy local constants' }))].map(
    ({ name, value, file: from, origin }) => ({ name, value: value.value, place: value.place, file: from, origin }),
  );
}

/**
 * The variables a document can name: imported, then local, then legacy ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants). A missing import has none.
 */
export function variablesOf(file: Importer, catalogue: Catalogue): readonly Definition<Expression>[] {
  const { imports, local } = file.policy.variables;
  const imported = imports.flatMap(({ value: name }) => {
    const from = catalogue.find(importKey('export_variables', name));
    if (from?.policy.kind !== 'export-variables') return [];
    return from.policy.definitions.map((definition) => ({ ...definition, file: from, origin: `import '${name}'` }));
  });
  return [
    ...imported,
    ...local.map((definition) => ({ ...definition, file, origin: 'policy local variables' })),
    ...file.legacyVariables.map((definition) => ({
      ...definition,
      file,
      origin: 'deprecated top-level policy variables',
    })),
  ].map(({ name, expression, file: from, origin }) => ({
    name,
    value: expression,
    place: expression.place,
    file: from,
    origin,
  }));
}
