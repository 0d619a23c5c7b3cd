import {
  Composer,
  type CST,
  type Document,
  isScalar,
  type LineCounter,
  type ParseOptions,
  type SchemaOptions,
  visit,
  YAMLParseError,
} from 'yaml';
import { tokenise } from './tokens.js';

/** The default limit of nesting: far more than any file is meant to have. */
const MAX_DEPTH = 200;

/** YAML that is nested deeper than its reader allows. */
export class YamlDepthError extends Error {
  /**
   * @param limit the number of levels that are allowed.
   * @param offset where the first level too many begins.
   */
  constructor(
    readonly limit: number,
    readonly offset: number,
  ) {
    super(`nested more than ${limit} levels deep`);
  }
}

/** How a document is read. */
export interface ReadOptions extends Pick<ParseOptions, 'intAsBigInt' | 'keepSourceTokens'> {
  /** The levels of mappings and sequences that a document may have. */
  readonly maxDepth?: number;
  readonly lineCounter?: LineCounter;
}

/**
 * Reads a YAML string of one document; JSON is YAML as well. Problems are in its `errors`, a second document among them.
 * Duplicate keys are not: the YAML package compares each key with all others, so callers look for them.
 *
 * @throws {YamlDepthError} before anything recurses: the YAML package would overflow the stack, which ends the process
 * in some versions of Node.
 */
export function readYaml(
  text: string,
  { maxDepth = MAX_DEPTH, lineCounter, ...options }: ReadOptions = {},
): Document.Parsed {
  const read = tokenise(text, maxDepth, lineCounter?.addNewLine);
  if ('tooDeepAt' in read) throw new YamlDepthError(maxDepth, read.tooDeepAt);
  const [document, second] = composeYaml(read.tokens, text.length, options);
  if (document === undefined) throw new Error('the composer makes a document of any tokens');
  if (second !== undefined) {
    const [start, end] = second.range;
    document.errors.push(
      new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'the file has several documents; only one is allowed'),
    );
  }
  return document;
}

/**
 * The value of a YAML string of one document, without aliases.
 *
 * @throws {Error} with the reason if it is not well-formed, has duplicate keys, or is nested too deeply.
 */
export function valueOfYaml(text: string): unknown {
  const document = readYaml(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  visit(document, {
    Alias() {
      throw new Error('anchors and aliases are not supported');
    },
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (keys.has(name)) throw new Error(`the key \`${String(name)}\` is duplicated`);
        keys.add(name);
      }
    },
  });
  return document.toJS();
}

/**
 * Composes documents of the tokens of a string of a length; one without content if there is none. Problems are in their
 * `errors`, and duplicate keys are not, as in `readYaml`.
 */
export function composeYaml(
  tokens: Iterable<CST.Token>,
  length: number,
  options: Pick<ParseOptions & SchemaOptions, 'intAsBigInt' | 'keepSourceTokens' | 'schema'>,
): readonly Document.Parsed[] {
  const composer = new Composer({ ...options, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const { stackTraceLimit } = Error;
  // Hostile text has an error for each character. These are values here, and stack traces would take most of the time.
  Error.stackTraceLimit = 0;
  try {
    return [...composer.compose(tokens, true, length)];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
