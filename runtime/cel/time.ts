/** Timestamps, durations and zones (docs/spec/conditions.md#time). */
export * from './duration.js';
export * from './request-time.js';
export * from './time-accessors.js';
export * from './time-arithmetic.js';
export * from './timestamp.js';
