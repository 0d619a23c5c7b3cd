import { replaceFiles } from '../cli/outputs/replace-files.js';
import { jsonSchemaFiles } from './json-schemas.js';

/** Writes schemas/, from the tables that the compiler and the server read files by. */
replaceFiles([...jsonSchemaFiles()].map(([path, text]) => ({ path, text })));
