import type { Attributes, SchemaReference } from '../policy/index.js';
import { Place } from './place.js';
import { Run, type Schema } from './run.js';

/** What of attributes does not satisfy a schema, as a policy's reference to it asks (policy-language.md 10.5). */
export function violationsOf(schema: Schema): SchemaReference['violations'] {
  return (attributes: Attributes) => {
    const run = new Run();
    schema(attributes, Place.root(), run);
    return run.violations();
  };
}

/** Stands in for a schema that could not be loaded: that is a violation of its own, at no place (policy-language.md 10.4). */
export function unavailable(message: string): SchemaReference['violations'] {
  return () => [{ path: '', message }];
}
