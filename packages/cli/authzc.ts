#!/usr/bin/env node
import './node-version.cjs';

/* dist/authzc.js. The version of Node must be checked before modules that need it are imported. */
await import('./authzc-process.js');
