import { message, quoted } from './message.js';

/** What `schema` has to say (docs/spec/policy-language.md#compile-errors). */
export const schemaMessages = {
  'schema/invalid': message<{ subject: 'principal' | 'resource'; ref: string; reason: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'invalid schema',
    text: ({ subject, ref, reason }) => `Failed to load ${subject} schema ${quoted(ref)}: ${reason}`,
    explanation: `
The JSON schema that a policy refers to cannot be used: the file is missing, it is no JSON, something in it is not as JSON Schema has it, or it refers to
such a schema. A reference is a URL: \`authz:///dir/file.json\` is the file \`_schemas/dir/file.json\`. Schemas are read from \`_schemas\` only, never from elsewhere on
the disk and never over the network.

Correct the reference or the schema.
`,
  }),
};

/** What `attributes` has to say where policies name JSON schemas. The warnings are errors under `--strict-types`. */
export const attributeMessages = {
  'attribute/unknown': message<{ readonly path: string; readonly reason: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'unknown attribute',
    text: ({ path, reason }) => `\`${path}\` is never there: ${reason}`,
    explanation: `
By the JSON schema that the policy names, no request that is valid has this attribute: the schema allows only what it lists (\`additionalProperties: false\`), or the value it
is read from is a text, a number, a list. Reading it fails, so that an ALLOW is never given and **a DENY never applies**; \`has(...)\` of it is false.

The schemas are those of the policy at the root scope: they hold for all scopes of the kind and version. \`principalSchema\` is about \`P.attr\`, \`resourceSchema\` about
\`R.attr\`. Rules that reach only actions of \`ignoreWhen\` are not looked at, nor are principal policies and role policies. Variables and derived roles are
looked at for every policy that uses them.

Correct the name, or add the attribute to the schema. With \`--strict-types\` this is an error.
`,
  }),
  'attribute/not-in-schema': message<{ readonly path: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'attribute not in schema',
    text: ({ path }) => `the schema does not list \`${path}\``,
    explanation: `
The JSON schema lists attributes at this level, and this one is not among them; none of its \`patternProperties\` matches it either. It may be sent all the same, for
\`additionalProperties\` is absent: the schema allows what it does not list. More often the name is misspelt, and then reading it fails: an ALLOW is never given and
**a DENY never applies**.

Correct the name, or add the attribute to the schema. If attributes that are not listed are meant to be sent, say so in the schema with \`additionalProperties: true\` (or with a
schema for them). With \`--strict-types\` this is an error.
`,
  }),
  'attribute/never-equal': message<{ readonly left: string; readonly right: string; readonly consequence: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'attribute never equal',
    text: ({ left, right, consequence }) => `${left} and ${right} ${consequence}`,
    explanation: `
By the JSON schemas that the policy names, the two values of the comparison are never equal, or cannot be put in order: they are of different types, or the \`enum\` or
\`const\` of the schema does not have the value. \`==\` is then always false and \`!=\` always true; \`<\`, \`<=\`, \`>\`, \`>=\` fail, and so does \`in\` where there is neither a
list nor a map. An element of a list that the other side can never be is reported by itself.

Correct the value, compare with one of the right type (\`R.attr.count == 3\`, not \`== "3"\`), or add the value to the schema. With \`--strict-types\` this is an error.
`,
  }),
  'attribute/optional': message<{ readonly path: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'optional attribute',
    text: ({ path }) => `\`${path}\` may be missing: the schema does not require it`,
    explanation: `
The JSON schema does not require the attribute, and nothing makes sure that it is there before it is read. Reading a missing attribute fails: an ALLOW is not given and
**a DENY does not apply**. This is said with \`--strict-types\` only.

These make sure: \`has(R.attr.x) && R.attr.x == 1\` (in any order), \`!has(R.attr.x) || R.attr.x == 1\`, \`has(R.attr.x) ? R.attr.x : 0\`, \`"x" in R.attr && …\`,
\`R.attr.?x.hasValue() && …\`; an entry of \`all\` (or \`any\`, \`none\`) with \`has(R.attr.x)\` (or \`!has(R.attr.x)\`, likewise) above the one that reads it; the condition of a
derived role, where a rule names no roles beside it. The condition of a rule makes sure for its output.

Other comparisons do not: where a schema requires an attribute only for some values of another one, ask \`has\` all the same. That a list has an item of some index,
and that a value is not null, is not looked at.

Guard the access, write \`R.attr.?x.orValue(0)\`, or list the attribute under \`required\`.
`,
  }),
};
