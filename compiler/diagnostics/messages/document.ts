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
    explanation: `
JSON schemas live in the folder \`_schemas\` at the root of the policy folder. A folder of that name anywhere else is not read.

Move its files to the \`_schemas\` at the root; folders below it are fine: \`authz:///albums/album.json\` is \`_schemas/albums/album.json\`.
`,
  }),
  'file/invalid-utf8': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid document: contents are not valid UTF-8',
    explanation: `
Policy files are UTF-8, and the bytes of this one are not.

Save the file in that encoding. Editors call it "UTF-8" or "UTF-8 without BOM".
`,
  }),
  'file/too-large': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document is larger than ${limit} bytes`,
    explanation: `
A policy document or a schema has a size limit, so that a hostile file cannot exhaust the compiler.

Split the policy: by resource, by version or by scope. Move data out of constants into the attributes of requests. Remove from \`_schemas\` what is not a schema.
`,
  }),
  'file/outside-link': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'symbolic link leads outside of the policy directory',
    explanation: `
Symbolic links are followed only to files and folders inside the policy folder: a policy set is what was reviewed, not what else is on the machine.

Copy the target into the folder, or remove the link.
`,
  }),
  'file/broken-link': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'symbolic link leads nowhere',
    explanation: `
The link is named like a policy file, but its target does not exist. A missing policy could silently change decisions, so this is an error.

Restore the target, correct the link, or remove it.
`,
  }),
  'file/not-regular': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'not a regular file',
    explanation: `
A pipe, a socket or a device has the name of a policy or a schema. It is not read: it may never end, and what it holds is not what was reviewed. A missing
policy could silently change decisions, so this is an error.

Replace it with a file, or remove it.
`,
  }),
  'file/too-many-schemas': message<{ readonly files: number; readonly bytes: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ files, bytes }) => `\`_schemas\` holds more than ${files} files or ${bytes} bytes`,
    explanation: `
The files below \`_schemas\` are limited in number and in total size, so that a hostile folder cannot exhaust the compiler. The file is the first one beyond
the limit; those after it are not read.

Remove what no policy refers to.
`,
  }),
  'yaml/several-documents': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: () => 'more than one YAML document detected',
    explanation: `
A file holds one policy. A \`%YAML\` directive counts as a document.

Put each further document into a file of its own, and remove directives.
`,
  }),
  'yaml/not-a-policy': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid document: contents are not valid YAML or JSON',
    explanation: `
Every \`.yaml\`, \`.yml\` and \`.json\` file of the policy folder has to be a policy: a mapping with \`apiVersion\` and one policy type.

Move other files elsewhere. Files named \`*_test.yaml\`, files and folders whose name begins with a dot, and folders called \`testdata\` are left alone.
`,
  }),
  'yaml/syntax': message<{ readonly reason: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ reason }) => reason,
    explanation: `
The file is not well-formed YAML. Only the first error of a file is shown: those after it are often its echo.

Look at the marked place and shortly before it. Usual causes: a bracket or quote that is never closed, a tab in the indentation, a text that begins with
\`*\`, \`&\`, \`!\`, \`%\`, \`@\` or a backtick and needs quotes (\`roles: ["*"]\`), a \`: \` within a text.
`,
  }),
  'yaml/quoted-prefix': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'invalid YAML string: use a literal or folded block for strings containing quotes',
    explanation: `
A value that begins with a quote ends at the closing quote in YAML, so \`expr: "GB" in R.attr.geo\` is not one text.

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
A mapping names each key once; YAML readers that accept a second one silently drop the first.

Remove or merge one of the two.
`,
  }),
  'yaml/key-type': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `unexpected key type ${type}`,
    explanation: `
Keys are strings.

Put quotes around a key that reads as a number, a boolean or null: \`"1": 10\`. Complex keys (\`? \`), and keys with a tag or an anchor, are not supported.
`,
  }),
  'yaml/text-key': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `expected string got ${type}`,
    explanation: `
The names in this map are strings.

Put quotes around a name that reads as a number, a boolean or null: \`"2030": planned\`.
`,
  }),
  'yaml/unknown-anchor': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `unknown anchor ${quoted(name)}`,
    explanation: `
An alias \`*x\` needs an anchor \`&x\` that stands before it in the same document. Anchors of other files are not seen.

Correct the name. If no alias is meant, put the text in quotes: \`actions: ["*"]\`.
`,
  }),
  'yaml/duplicate-anchor': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `duplicate anchor definition ${quoted(name)}`,
    explanation: `
An anchor is defined once in a document.

Rename one of the two, and the aliases that belong to it.
`,
  }),
  'yaml/not-an-alias': message<Nothing>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: () => 'not an alias',
    explanation: `
The merge key \`<<\` takes one alias of a mapping, or a mapping. A list of aliases is not supported.

Write \`<<: *x\`, and repeat the fields of the others.
`,
  }),
  'yaml/merge-type': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `expected map alias got ${type}`,
    explanation: `
The merge key \`<<\` merges a mapping; the alias stands for something else.

Put the anchor at the mapping whose fields are meant, or use the alias as a value: \`actions: *actions\`.
`,
  }),
  'yaml/too-deep': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document is nested more than ${limit} levels deep`,
    explanation: `
Nesting has a limit, so that a hostile file cannot overflow the stack of the compiler.

Flatten the condition, or move parts of it into variables.
`,
  }),
  'yaml/too-many-values': message<{ readonly limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ limit }) => `document has more than ${limit} values, aliases expanded`,
    explanation: `
Aliases of aliases multiply. The number of values, each alias counted as what it stands for, has a limit, so that a small file cannot fill the memory.

Write out what is meant, with fewer aliases.
`,
  }),
};
