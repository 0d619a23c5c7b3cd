/** A JSON value with the offsets it stands at. Numbers keep the text they were written as. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

interface Located {
  readonly start: number;
  readonly end: number;
}

export interface JsonObject extends Located {
  readonly kind: 'object';
  /** Of equal names the last counts. */
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
