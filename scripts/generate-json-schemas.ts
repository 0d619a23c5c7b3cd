import { replaceFiles } from '../packages/cli/outputs/replace-files.js';
import { jsonSchemaFiles } from './json-schemas.js';

/** Writes packages/editor/schemas/, from the tables that the compiler and the server read files by. */
replaceFiles([...jsonSchemaFiles()].map(([path, text]) => ({ path, text })));
