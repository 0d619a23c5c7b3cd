import type { PolicyFile } from '../../ast/policy.js';
import type { Source } from '../../diagnostics/source.js';
import type { ObjectValue } from '../schema/value.js';
import { variableDefinitions } from './bindings.js';
import { asText, boolOf, entriesOf, objectOf, textOf } from './fields.js';
import { policyOf } from './policy.js';

/** The tree of a validated document (docs/spec/policy-language.md#top-level-fields). */
export function policyFile(document: ObjectValue, source: Source): PolicyFile {
  return {
    source,
    place: { ...document.node.place, path: '' },
    disabled: boolOf(document, 'disabled'),
    description: textOf(document, 'description')?.value ?? '',
    annotations: annotationsOf(document),
    legacyVariables: variableDefinitions(document, 'variables'),
    policy: policyOf(document),
  };
}

// Without a prototype, so that any name is an ordinary one.
function annotationsOf(document: ObjectValue): Readonly<Record<string, string>> {
  const annotations = Object.create(null) as Record<string, string>;
  const metadata = objectOf(document, 'metadata');
  if (metadata === undefined) return annotations;
  for (const { name, value } of entriesOf(metadata, 'annotations')) annotations[name.value] = asText(value).text;
  return annotations;
}
