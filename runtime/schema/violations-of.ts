import type { Attributes, SchemaReference } from '../policy/index.js';
import { Place } from './place.js';
import { Run, type Schema } from './run.js';

/**
 * The violations of a schema by attributes, for the reference of a policy
 * (docs/spec/policy-language.md#validation-errors).
 */
export function violationsOf(schema: Schema): SchemaReference['violations'] {
  return (attributes: Attributes) => {
    const run = new Run();
    schema(attributes, Place.root(), run);
    return run.violations();
  };
}

/**
 * Replaces a schema that could not be loaded, which is a violation without a place
 * (docs/spec/policy-language.md#enforcement).
 */
export function unavailable(message: string): SchemaReference['violations'] {
  return () => [{ path: '', message }];
}
