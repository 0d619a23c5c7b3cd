import { message, quoted } from './message.js';

/** Messages of `schema` (docs/spec/policy-language.md#compile-errors). */
export const schemaMessages = {
  'schema/invalid': message<{ subject: 'principal' | 'resource'; ref: string; reason: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'invalid schema',
    text: ({ subject, ref, reason }) => `Failed to load ${subject} schema ${quoted(ref)}: ${reason}`,
    explanation: `
The JSON schema that a policy refers to cannot be used: the file is missing, is not JSON or is not a valid JSON Schema, or it refers to such a schema. A reference is a URL:
\`authz:///dir/file.json\` is the file \`_schemas/dir/file.json\`. Schemas are only read from \`_schemas\`, never from elsewhere on the disk and never over the network.

Correct the reference or the schema.
`,
  }),
};

/** Messages of `attributes`, for policies that name JSON schemas. The warnings are errors under `--strict-types`. */
export const attributeMessages = {
  'attribute/unknown': message<{ readonly path: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unknown attribute',
    text: ({ path, reason }) => `\`${path}\` is never present: ${reason}`,
    explanation: `
According to the JSON schema of the policy, no valid request has this attribute: the schema allows only the attributes that it lists (\`additionalProperties: false\`), or the attribute is read
from a string, a number or a list. Reading it fails, so an ALLOW is never granted and **a DENY never applies**; \`has(...)\` of it is false.

The schemas are those of the policy at the root scope, which apply to all scopes of the kind and version: \`principalSchema\` to \`P.attr\`, \`resourceSchema\` to \`R.attr\`. Rules that
only match actions of \`ignoreWhen\`, principal policies and role policies are not checked. Variables and derived roles are checked for every policy that uses them.

Correct the name, or add the attribute to the schema. With \`--strict-types\` this is an error.
`,
  }),
  'attribute/not-in-schema': message<{ readonly path: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'attribute not in schema',
    text: ({ path }) => `the schema does not list \`${path}\``,
    explanation: `
The JSON schema does not list this attribute, although it lists others at this level. None of its \`patternProperties\` matches it either. Requests may still contain the attribute,
because \`additionalProperties\` is absent and the schema allows unlisted attributes. More often, the name is misspelled. Reading it then fails: an ALLOW is never granted and
**a DENY never applies**.

Correct the name, or add the attribute to the schema. If unlisted attributes are intended, declare this in the schema with \`additionalProperties: true\` (or with a schema for
them). With \`--strict-types\` this is an error.
`,
  }),
  'attribute/never-equal': message<{ readonly left: string; readonly right: string; readonly consequence: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'attribute never equal',
    text: ({ left, right, consequence }) => `${left} and ${right} ${consequence}`,
    explanation: `
According to the JSON schemas of the policy, the two values of the comparison are never equal, or cannot be ordered: they have different types, or the \`enum\` or \`const\` of the
schema does not contain the value. \`==\` is then always false and \`!=\` always true; \`<\`, \`<=\`, \`>\`, \`>=\` fail, and so does \`in\` with neither a list nor a map. A list element
that can never equal the other side is reported separately.

Correct the value, compare with a value of the right type (\`R.attr.count == 3\`, not \`== "3"\`), or add the value to the schema. With \`--strict-types\` this is an error.
`,
  }),
  'attribute/optional': message<{ readonly path: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'optional attribute',
    text: ({ path }) => `\`${path}\` may be missing: the schema does not require it`,
    explanation: `
The JSON schema does not require the attribute, and the condition does not check that it exists before reading it. Reading a missing attribute fails: an ALLOW is not granted and **a DENY
does not apply**. This is only reported with \`--strict-types\`.

These guards are recognized: \`has(R.attr.x) && R.attr.x == 1\` (in any order), \`!has(R.attr.x) || R.attr.x == 1\`, \`has(R.attr.x) ? R.attr.x : 0\`, \`"x" in R.attr && …\`,
\`R.attr.?x.hasValue() && …\`; an entry of \`all\` with \`has(R.attr.x)\`, or of \`any\` or \`none\` with \`!has(R.attr.x)\`, above the one that reads it; the condition of a derived role,
if the rule does not name other roles. The condition of a rule also guards its output.

Other comparisons are not guards: if a schema requires an attribute only for some values of another attribute, test \`has\` as well. The compiler does not check whether a list has an
element at an index, or whether a value is null.

Guard the access, write \`R.attr.?x.orValue(0)\`, or list the attribute under \`required\`.
`,
  }),
};
