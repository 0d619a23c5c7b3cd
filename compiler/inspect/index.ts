export { formatInspected, INSPECT_FORMATS, type InspectFormat } from './format.js';
export { inspect } from './inspect.js';
export { type Pattern, patternOf, select } from './select.js';
