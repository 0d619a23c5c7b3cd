/** What JSON schemas say about attributes: the types of JSON that each may have. */
export interface FactTypes {
  /** Attributes of principals. */
  readonly principal: JsonTypes;
  /** Attributes of resources, by sanitised kind. */
  readonly resources: { readonly [kind: string]: JsonTypes };
}

/** The types of JSON that attributes may have: `string`, `number`, `boolean`, `null`, `array`, `object`. */
export type JsonTypes = { readonly [attribute: string]: readonly string[] };
