import type { Place, Span } from '../../diagnostics/span.js';

/**
 * A value of a document, typed by the rules of docs/spec/policy-language.md#yaml-dialect, with aliases and merges
 * resolved. An alias resolves to the same node object as its anchor, so nodes form a graph without cycles. `type` is
 * the word that messages use.
 */
export type YamlNode = YamlText | YamlSpecial | YamlBroken | YamlSequence | YamlMapping;

interface Standing {
  /**
   * The location of the value in the file; anchor and path are those of a list element or a map value
   * (docs/spec/policy-language.md#reports).
   */
  readonly place: Place;
  /** The number of values in it, itself included, aliases expanded. */
  readonly size: number;
  /** The number of levels of collections, itself included. */
  readonly depth: number;
}

/** A scalar with a string value; `text` is the value of a string field. */
export interface YamlText extends Standing {
  readonly type: 'Null' | 'Bool' | 'Integer' | 'Float' | 'String';
  readonly text: string;
  readonly style: 'plain' | 'quoted' | 'block';
  /** The tag before it, which is ignored: `!x` of `!x y`. */
  readonly tag?: string;
  /** The source of the scalar, for mapping offsets of `text` back to the file. */
  readonly written: WrittenScalar;
}

/** A scalar as written in the file, without the header of a block scalar. */
export interface WrittenScalar {
  readonly notation: 'plain' | 'single' | 'double' | 'block';
  readonly span: Span;
}

/** Numbers that JSON cannot represent. */
export interface YamlSpecial extends Standing {
  readonly type: 'Nan' | 'Infinity';
}

/** A value that cannot be read, for a reason that was reported: nothing that follows from it is. */
export interface YamlBroken extends Standing {
  readonly type: 'Broken';
}

export interface YamlSequence extends Standing {
  readonly type: 'Sequence';
  readonly items: readonly YamlNode[];
}

export interface YamlMapping extends Standing {
  readonly type: 'Mapping';
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: YamlKey;
  readonly value: YamlNode;
}

/** A key; only keys of type `String` are allowed, which the reader of the mapping checks. */
export interface YamlKey {
  readonly type: YamlNode['type'] | 'MappingKey' | 'Anchor' | 'Alias' | 'Tag';
  readonly text: string;
  readonly place: Place;
}
