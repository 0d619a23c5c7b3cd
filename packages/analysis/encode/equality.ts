import { hasContent } from './optionals.js';
import type { Script } from './script.js';
import { apply } from './smt.js';
import { besideJson, type Term, unknown } from './values.js';

/** `a == b`. */
export function equality(a: Term, b: Term, script: Script): Term {
  const left = b.isJson ? besideJson(a, script) : a;
  const right = a.isJson ? besideJson(b, script) : b;
  const ofOptionals = optionalEquality(a, b, script);
  if (ofOptionals !== undefined) return unknown(script.define('V', ofOptionals), true);
  const relation = left.isJson && right.isJson ? 'equalJson' : 'equal';
  return unknown(script.define('V', apply(relation, left.text, right.text)), true);
}

/**
 * `a == b` where one is an optional: with another one by content, and never with plain JSON. Undefined for other terms.
 */
function optionalEquality(a: Term, b: Term, script: Script): string | undefined {
  const fails = `(or (isErr ${a.text}) (isErr ${b.text}))`;
  if (hasContent(a) && hasContent(b)) {
    const [one, other] = [a.content, b.content];
    const equal = `(ite (isErr ${other.text}) (Bool false) ${equality(one, other, script).text})`;
    return `(ite ${fails} Err (ite (isErr ${one.text}) (Bool (isErr ${other.text})) ${equal}))`;
  }
  const isPlain = (hasContent(a) && b.isJson) || (a.isJson && hasContent(b));
  return isPlain ? `(ite ${fails} Err (Bool false))` : undefined;
}
