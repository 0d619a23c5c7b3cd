/** A policy document has at most so many UTF-16 units; real ones have a few thousand. */
export const MAX_DOCUMENT_LENGTH = 4 * 1024 * 1024;

/** Levels of mappings and sequences. A condition takes three a level, so that some 160 operators may nest. */
export const MAX_DEPTH = 500;

/** Values of a document, each alias counted as what it stands for. */
export const MAX_VALUES = 1_000_000;
