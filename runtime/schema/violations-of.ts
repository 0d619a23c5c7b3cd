import type { Attributes, SchemaReference } from '../policy/index.js';
import { Place } from './place.js';
import { Run, type Schema } from './run.js';

/**
 * What of attributes does not satisfy a schema, as a policy's reference to it asks
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
 * Stands in for a schema that could not be loaded: that is a violation of its own, at no place
 * (docs/spec/policy-language.md#enforcement).
 */
export function unavailable(message: string): SchemaReference['violations'] {
  return () => [{ path: '', message }];
}
