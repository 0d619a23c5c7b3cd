/** The supported drafts of JSON Schema (docs/spec/policy-language.md#json-schema-dialect). */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

/** The draft of a schema without `$schema`. */
export const LATEST: Draft = 2020;

/**
 * The draft that `$schema` selects: with `http` or `https`, with or without an empty fragment. Undefined for any other
 * meta-schema.
 */
export function findDraft(uri: string): Draft | undefined {
  return DRAFTS.get(uri.replace(/^http:/, 'https:').replace(/#\/?$/, ''));
}

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['https://json-schema.org/schema', LATEST],
  ['https://json-schema.org/draft/2020-12/schema', 2020],
  ['https://json-schema.org/draft/2019-09/schema', 2019],
  ['https://json-schema.org/draft-07/schema', 7],
  ['https://json-schema.org/draft-06/schema', 6],
  ['https://json-schema.org/draft-04/schema', 4],
]);
