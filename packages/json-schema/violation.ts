/** One value that a schema does not allow. */
export interface SchemaViolation {
  /** JSON pointer of the offending value, `/` for the root (docs/spec/policy-language.md#validation-errors). */
  readonly path: string;
  readonly message: string;
}

/** All violations of some attributes; empty when they satisfy the schema. */
export type Violations = (attributes: { readonly [name: string]: unknown }) => readonly SchemaViolation[];
