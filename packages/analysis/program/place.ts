import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Span } from '../../../compiler/diagnostics/span.js';

/** Where a span begins. */
export function placeAt({ source, start }: Span): FilePlace {
  return { file: source.path, ...source.lineAndColumn(start) };
}
