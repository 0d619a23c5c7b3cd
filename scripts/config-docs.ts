import { configReference } from './config-reference.js';
import { configSchema } from '../server/config/schema.js';

/** The files that are made from the schema of the configuration, by their paths in the repository. */
export function configDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', configReference()],
    ['docs/config.schema.json', `${JSON.stringify(configSchema(), undefined, 2)}\n`],
  ]);
}
