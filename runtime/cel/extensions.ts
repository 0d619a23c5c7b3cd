/**
 * What the engine adds to the core of CEL, and the larger extensions: time, text patterns, networks, hierarchies,
 * SPIFFE, paths.
 */
export * from './format.js';
export * from './hierarchy.js';
export * from './hierarchy-value.js';
export * from './ip-range.js';
export * from './matches.js';
export * from './network.js';
export * from './paths.js';
export * from './regex.js';
export * from './spiffe.js';
export * from './time.js';
