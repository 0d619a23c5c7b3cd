import { replaceFiles } from '../packages/cli/outputs/replace-files.js';
import { configDocs } from './config-docs.js';

/**
 * Writes what the schema of the configuration says: docs/configuration.md for people,
 * docs/config.schema.json for editors.
 */
replaceFiles([...configDocs()].map(([path, text]) => ({ path, text })));
