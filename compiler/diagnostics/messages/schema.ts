import { message } from './message.js';
import { quoted } from './quoted.js';

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
