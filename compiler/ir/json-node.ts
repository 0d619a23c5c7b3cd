/** A JSON value with its offsets. Numbers keep their source text. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

interface Located {
  readonly start: number;
  readonly end: number;
}

export interface JsonObject extends Located {
  readonly kind: 'object';
  /** If a name is repeated, the last one counts. */
  readonly members: ReadonlyMap<string, JsonNode>;
}

export interface JsonArray extends Located {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}

export type JsonScalar = Located &
  (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
  );
