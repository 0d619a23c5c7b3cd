import { writeFileSync } from 'node:fs';
import { configDocs } from './config-docs.js';

/** Writes what the table of keys says of the configuration file: docs/configuration.md for people, docs/config.schema.json for editors. */
for (const [file, text] of configDocs()) writeFileSync(file, text);
