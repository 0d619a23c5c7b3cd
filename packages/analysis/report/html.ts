import { visible } from '../../../compiler/diagnostics/visible.js';

/** Text of policies as text of a page, also in attributes. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
