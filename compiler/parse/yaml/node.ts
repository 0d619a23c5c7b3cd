import type { Place, Span } from '../../diagnostics/span.js';

/**
 * A value of a document, typed by the rules of docs/spec/policy-language.md#yaml-dialect, aliases and merges resolved.
 * An alias is the very node it stands for, so nodes form a graph without cycles. `type` is the word that messages use.
 */
export type YamlNode = YamlText | YamlSpecial | YamlSequence | YamlMapping;

interface Standing {
  /**
   * The value as it stands in the file; anchor and path are those of a list's element or a map's value
   * (docs/spec/policy-language.md#reports).
   */
  readonly place: Place;
  /** How many values it has, itself included, aliases expanded. */
  readonly size: number;
  /** Levels of collections, itself included. */
  readonly depth: number;
}

/** A scalar that has a text; `text` is what a string field makes of it. */
export interface YamlText extends Standing {
  readonly type: 'Null' | 'Bool' | 'Integer' | 'Float' | 'String';
  readonly text: string;
  readonly style: 'plain' | 'quoted' | 'block';
  /** What was written, for mapping offsets of `text` back to the file. */
  readonly written: WrittenScalar;
}

/** How a scalar stands in the file, without the header of a block scalar. */
export interface WrittenScalar {
  readonly notation: 'plain' | 'single' | 'double' | 'block';
  readonly span: Span;
}

/** Numbers that JSON does not have. */
export interface YamlSpecial extends Standing {
  readonly type: 'Nan' | 'Infinity';
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

/** A key; only those of type `String` are allowed anywhere, which the reader of the mapping checks. */
export interface YamlKey {
  readonly type: YamlNode['type'] | 'MappingKey' | 'Anchor' | 'Alias' | 'Tag';
  readonly text: string;
  readonly place: Place;
}
