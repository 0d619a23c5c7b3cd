import type { Place } from '../../compiler/diagnostics/span.js';
import { FACT_ROOTS, factName, type FactRoot } from '../../runtime/facts/fact-names.js';

/** The names of facts that a test does not know, such as `resource.attr.owner`, and where each is listed. */
export type UnknownFacts = ReadonlyMap<string, Place>;

const NAME = /^[A-Za-z_$][\w$]*$/;

/** The fact that a text names, in its usual spelling; undefined if it is not the name of a fact. */
export function parseFact(text: string): string | undefined {
  for (const root of FACT_ROOTS) {
    if (!text.startsWith(root)) continue;
    const name = parseAttribute(text.slice(root.length));
    return name === undefined ? undefined : factName(root, name);
  }
  return undefined;
}

function parseAttribute(text: string): string | undefined {
  if (text.startsWith('.')) return NAME.test(text.slice(1)) ? text.slice(1) : undefined;
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  try {
    const name: unknown = JSON.parse(text.slice(1, -1));
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The beginnings of other names of attributes, and the roots that they stand for. */
const OTHER_NAMES: readonly (readonly [string, FactRoot])[] = [
  ['request.resource.attr', 'resource.attr'],
  ['request.principal.attr', 'principal.attr'],
  ['request.auxData.jwt', 'auxData.jwt'],
  ['request.aux_data.jwt', 'auxData.jwt'],
  ['aux_data.jwt', 'auxData.jwt'],
  ['R.attr', 'resource.attr'],
  ['P.attr', 'principal.attr'],
];

/** The fact that an author probably means by a text that does not name one. */
export function suggestFact(text: string): string | undefined {
  const other = OTHER_NAMES.find(([start]) => text.startsWith(start));
  const renamed = other === undefined ? text : `${other[1]}${text.slice(other[0].length)}`;
  // A path into an attribute is a part of a fact.
  const whole = /^(?:resource\.attr|principal\.attr|auxData\.jwt)\.[A-Za-z_$][\w$]*/.exec(renamed)?.[0];
  return parseFact(renamed) ?? whole;
}
