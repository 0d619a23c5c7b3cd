#!/usr/bin/env node
import './node-version.cjs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepCompiledCode } from './compile-cache.js';

/* dist/server.js. The cache must be enabled before the modules of the server are imported. */
keepCompiledCode(join(import.meta.dirname, '.compile-cache'));
const { runServer } = await import('./server-program.js');
await runServer(fileURLToPath(import.meta.url));
