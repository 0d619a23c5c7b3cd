/** The maximum length of a policy document in UTF-16 units; real ones have a few thousand. */
export const MAX_DOCUMENT_LENGTH = 4 * 1024 * 1024;

/**
 * The maximum nesting of mappings and sequences. A condition takes three levels for each operator, so about 160
 * operators can be nested.
 */
export const MAX_DEPTH = 500;

/** The maximum number of values in a document, each alias counted as its expansion. */
export const MAX_VALUES = 1_000_000;
