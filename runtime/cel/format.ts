import { refuse } from './failures.js';
import { formatValue } from './format-clause.js';
import { parseTemplate } from './format-template.js';
import { isList } from './kinds.js';
import { charge, chargeText, MAX_TEXT } from './meter.js';
import { CelError, type Result } from './values.js';

/**
 * `template.format(args)` (docs/spec/conditions.md#format). The first trouble from the left is the result; surplus
 * arguments are ignored.
 */
export function format(template: Result, args: Result): Result {
  if (typeof template !== 'string' || !isList(args)) return refuse('format', template, args);
  let text = '';
  let used = 0;
  charge(2 * template.length);
  chargeText(8 * template.length);
  for (const part of parseTemplate(template)) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = args[used];
    if (value === undefined) return new CelError(`index ${used} out of range`);
    if (part.kind === 'problem') return new CelError(part.message);
    const formatted = formatValue(part.verb, part.precision, value);
    if (formatted instanceof CelError) return formatted;
    chargeText(formatted.length);
    text += formatted;
    if (text.length > MAX_TEXT) chargeText(text.length);
    used += 1;
  }
  return text;
}
