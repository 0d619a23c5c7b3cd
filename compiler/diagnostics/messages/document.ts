import { message, quoted } from './message.js';

type Nothing = Readonly<Record<string, never>>;
export interface Previous {
  readonly line: number;
  readonly column: number;
}

/**
 * Files and YAML: phase 1 of docs/spec/policy-language.md#compilation-phases up to the mapping onto fields, and the
 * directory (docs/spec/policy-language.md#which-files-are-policies).
 */
export const documentMessages = {
  'file/misplaced-schemas': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => '_schemas directory must be under the root of the storage directory',
    advice: 'move its files to `_schemas` at the root of the policy folder',
    explanation: `
JSON schemas must be in the folder \`_schemas\` at the root of the policy folder. A folder of that name anywhere else is not read.

Move its files to \`_schemas\` at the root. Subfolders are allowed: \`authz:///albums/album.json\` is \`_schemas/albums/album.json\`.
`,
  }),
  'file/invalid-utf8': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid document: contents are not valid UTF-8',
    advice: 'save the file as UTF-8',
    explanation: `
The file is not valid UTF-8. Policy files must be UTF-8.

Save the file as UTF-8. Editors call it "UTF-8" or "UTF-8 without BOM".
`,
  }),
  'file/too-large': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document is larger than ${limit} bytes`,
    advice: 'split the policy by resource, version or scope, and send data of constants as attributes',
    explanation: `
The size of a policy document or a schema is limited, so that a hostile file cannot exhaust the compiler.

Split the policy by resource, version or scope. Move data from constants into the attributes of requests. Remove files that are not schemas from \`_schemas\`.
`,
  }),
  'file/outside-link': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'symbolic link leads outside of the policy directory',
    advice: 'copy the target into the folder, or remove the link',
    explanation: `
Symbolic links are followed only to files and folders inside the policy folder, so that only reviewed files become policies.

Copy the target into the folder, or remove the link.
`,
  }),
  'file/broken-link': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'symbolic link leads nowhere',
    advice: 'restore the target, correct the link, or remove it',
    explanation: `
The link has the name of a policy file, but its target does not exist. A missing policy could silently change decisions, so this is an error.

Restore the target, correct the link, or remove it.
`,
  }),
  'file/not-regular': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'not a regular file',
    advice: 'replace it with a file, or remove it',
    explanation: `
A pipe, a socket or a device has the name of a policy or a schema. It is not read, because it may never end and its content cannot be reviewed. A missing policy could silently
change decisions, so this is an error.

Replace it with a file, or remove it.
`,
  }),
  'file/too-many-schemas': message<{ readonly files: number; readonly bytes: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ files, bytes }) => `\`_schemas\` holds more than ${files} files or ${bytes} bytes`,
    advice: 'remove schemas that no policy refers to',
    explanation: `
The number and total size of the files below \`_schemas\` are limited, so that a hostile folder cannot exhaust the compiler. The reported file is the first one beyond the limit;
the files after it are not read.

Remove schemas that no policy refers to.
`,
  }),
  'yaml/several-documents': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'more than one YAML document detected',
    explanation: `
A file must contain one policy. A \`%YAML\` directive counts as a document.

Put each further document into its own file, and remove directives.
`,
  }),
  'yaml/not-a-policy': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid document: contents are not valid YAML or JSON',
    explanation: `
Every \`.yaml\`, \`.yml\` and \`.json\` file of the policy folder must be a policy: a mapping with \`apiVersion\` and one policy type.

Move other files elsewhere. Files named \`*_test.yaml\`, files and folders whose name starts with a dot, and folders named \`testdata\` are ignored.
`,
  }),
  'yaml/syntax': message<{ readonly reason: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ reason }) => reason,
    explanation: `
The file is not well-formed YAML. The compiler skips the invalid part and checks the rest of the file.

Look at the marked location and shortly before it. Common causes: an unclosed bracket or quote, a tab in the indentation, a string that starts with \`*\`, \`&\`, \`!\`, \`%\`, \`@\` or a
backtick and needs quotes (\`roles: ["*"]\`), a \`: \` within a string.
`,
  }),
  'yaml/quoted-prefix': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid YAML string: use a literal or folded block for strings containing quotes',
    explanation: `
In YAML, a value that starts with a quote ends at the closing quote, so \`expr: "GB" in R.attr.geo\` is not one string.

Write it as a block:

\`\`\`yaml
expr: |-
  "GB" in R.attr.geo
\`\`\`
`,
  }),
  'yaml/duplicate-key': message<{ readonly key: string } & Previous>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ key, line, column }) => `mapping key ${quoted(key)} already defined at [${line}:${column}]`,
    explanation: `
A mapping contains the same key twice. YAML parsers that accept this silently drop the first value.

Remove or merge one of the two.
`,
  }),
  'yaml/key-type': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `unexpected key type ${type}`,
    explanation: `
Keys must be strings.

Quote a key that YAML reads as a number, a boolean or null: \`"1": 10\`. Complex keys (\`? \`), and keys with a tag or an anchor, are not supported.
`,
  }),
  'yaml/text-key': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `expected string got ${type}`,
    explanation: `
The names in this map must be strings.

Quote a name that YAML reads as a number, a boolean or null: \`"2030": planned\`.
`,
  }),
  'yaml/unknown-anchor': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `unknown anchor ${quoted(name)}`,
    explanation: `
An alias \`*x\` has no anchor \`&x\` before it in the same document. Anchors of other files cannot be used.

Correct the name. If you did not intend an alias, quote the string: \`actions: ["*"]\`.
`,
  }),
  'yaml/duplicate-anchor': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `duplicate anchor definition ${quoted(name)}`,
    explanation: `
An anchor is defined twice in a document.

Rename one of the two, and the aliases that refer to it.
`,
  }),
  'yaml/not-an-alias': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'not an alias',
    explanation: `
The merge key \`<<\` accepts only a mapping, or one alias of a mapping. A list of aliases is not supported.

Write \`<<: *x\`, and repeat the fields of the others.
`,
  }),
  'yaml/merge-type': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `expected map alias got ${type}`,
    explanation: `
The merge key \`<<\` merges a mapping, but the alias refers to another type of value.

Put the anchor at the mapping whose fields you want to merge, or use the alias as a value: \`actions: *actions\`.
`,
  }),
  'yaml/too-deep': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document is nested more than ${limit} levels deep`,
    explanation: `
The nesting of a document is limited, so that a hostile file cannot overflow the stack of the compiler.

Flatten the condition, or move parts of it into variables.
`,
  }),
  'yaml/too-many-values': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document has more than ${limit} values, aliases expanded`,
    explanation: `
The number of values in a document is limited, with each alias counted as the values it refers to, so that a small file with aliases of aliases cannot exhaust the memory.

Write out the values with fewer aliases.
`,
  }),
};
