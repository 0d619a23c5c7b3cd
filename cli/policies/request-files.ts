import { readFileSync } from 'node:fs';
import type { AuxDataInput, PrincipalInput, ResourceInput } from '#runtime/engine';
import type { Attributes } from '#runtime/policy';
import type { JsonValue } from '../../compiler/ast/policy.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { didYouMean } from '../../compiler/diagnostics/did-you-mean.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Place } from '../../compiler/diagnostics/span.js';
import type { YamlMapping, YamlNode } from '../../compiler/parse/yaml/node.js';
import { readDocument } from '../../compiler/parse/yaml/read.js';
import { numberOf } from '../../compiler/parse/yaml/scalar.js';
import { InputError } from '../complaints.js';

/**
 * A principal as a file describes it, YAML or JSON: `id` and `roles`, and `attr`, `scope`, `policyVersion`. Throws an
 * InputError.
 */
export function readPrincipal(file: string): PrincipalInput {
  const fields = readFields(file, 'a principal', PRINCIPAL_FIELDS);
  return {
    id: fields.text('id') ?? fields.missing('id', 'id: alice'),
    roles: fields.texts('roles') ?? fields.missing('roles', 'roles: [user]'),
    attr: fields.attributes('attr'),
    scope: fields.text('scope'),
    policyVersion: fields.text('policyVersion'),
  };
}

/** A resource as a file describes it: `kind` and `id`, and `attr`, `scope`, `policyVersion`. Throws an InputError. */
export function readResource(file: string): ResourceInput {
  const fields = readFields(file, 'a resource', RESOURCE_FIELDS);
  return {
    kind: fields.text('kind') ?? fields.missing('kind', 'kind: album'),
    id: fields.text('id') ?? fields.missing('id', 'id: a1'),
    attr: fields.attributes('attr'),
    scope: fields.text('scope'),
    policyVersion: fields.text('policyVersion'),
  };
}

/** Attributes as a file lists them, by name. Throws an InputError. */
export function readAttributes(file: string): Attributes {
  return objectOf(readMapping(file));
}

/**
 * The claims of tokens, taken to be verified: `jwt`, a map of claims, and `jwts`, such a map `claims` for each name.
 * Throws an InputError.
 */
export function readAuxData(file: string): AuxDataInput {
  const fields = readFields(file, 'auxiliary data', AUX_DATA_FIELDS);
  const tokens = fields.entries('jwts').map(([name, token]) => {
    const claims = fieldsOf(token, 'a token', TOKEN_FIELDS).attributes('claims') ?? {};
    return [name, { claims }] as const;
  });
  return { jwt: fields.attributes('jwt'), jwts: Object.assign(Object.create(null), Object.fromEntries(tokens)) };
}

const PRINCIPAL_FIELDS = ['id', 'roles', 'attr', 'scope', 'policyVersion'];
const RESOURCE_FIELDS = ['kind', 'id', 'attr', 'scope', 'policyVersion'];
const AUX_DATA_FIELDS = ['jwt', 'jwts'];
const TOKEN_FIELDS = ['claims'];

/** Stands for standard input in the place of a file. */
const STANDARD_INPUT = '-';

function readMapping(file: string): YamlMapping {
  const source = new Source(file === STANDARD_INPUT ? 'standard input' : file, readText(file));
  const report = new Diagnostics();
  const document = readDocument(source, report);
  document?.problems.reportTo(report);
  const [problem] = report.sorted();
  if (problem?.code === 'yaml/not-a-policy')
    throw new InputError('a map of fields is expected', problem.place, [], source.path);
  if (problem !== undefined) throw new InputError(problem.message, problem.place, problem.notes, source.path);
  if (document === undefined) throw new InputError('there is nothing in it', undefined, [], source.path);
  return document.root;
}

/** The text of a file, or of standard input. Throws an InputError. */
export function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
      readFileSync(file === STANDARD_INPUT ? 0 : file),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder'
          : error instanceof TypeError
            ? 'it is not UTF-8'
            : message;
    throw new InputError(reason, undefined, [], file);
  }
}

function readFields(file: string, what: string, known: readonly string[]): Fields {
  return fieldsOf(readMapping(file), what, known);
}

/** The fields of a map, each read by its type. */
interface Fields {
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[] | undefined;
  readonly attributes: (name: string) => Attributes | undefined;
  readonly entries: (name: string) => readonly (readonly [string, YamlNode])[];
  readonly missing: (name: string, example: string) => never;
}

function fieldsOf(node: YamlNode, what: string, known: readonly string[]): Fields {
  const mapping = mappingOf(node, what);
  const values = new Map<string, YamlNode>();
  for (const { key, value } of mapping.entries) {
    if (!known.includes(key.text)) {
      const notes = didYouMean(key.text, known);
      const fields = known.map((name) => `\`${name}\``).join(', ');
      throw new InputError(
        `${what} has no field \`${key.text}\``,
        key.place,
        notes.length > 0 ? notes : [{ message: `its fields are ${fields}` }],
      );
    }
    if (value.type !== 'Null') values.set(key.text, value);
  }
  const get = <T>(name: string, read: (value: YamlNode) => T): T | undefined => {
    const value = values.get(name);
    return value === undefined ? undefined : read(value);
  };
  return {
    text: (name) => get(name, textOf),
    texts: (name) => get(name, textsOf),
    attributes: (name) => get(name, (value) => objectOf(mappingOf(value, `\`${name}\``))),
    entries: (name) =>
      get(name, (value) =>
        mappingOf(value, `\`${name}\``).entries.map(({ key, value: own }) => [key.text, own] as const),
      ) ?? [],
    missing: (name, example) => {
      throw new InputError(`${what} needs \`${name}\``, mapping.place, [{ message: `for example \`${example}\`` }]);
    },
  };
}

function mappingOf(node: YamlNode, what: string): YamlMapping {
  if (node.type !== 'Mapping') throw new InputError(`${what} must be a map of names to values`, node.place);
  return node;
}

function textOf(node: YamlNode): string {
  if (node.type !== 'String')
    throw new InputError(
      'a text is expected',
      node.place,
      'text' in node ? [{ message: `write it in quotes: \`"${node.text}"\`` }] : [],
    );
  if (node.text === '') throw new InputError('the text must not be empty', node.place);
  return node.text;
}

function textsOf(node: YamlNode): readonly string[] {
  if (node.type !== 'Sequence')
    throw new InputError(
      'a list of texts is expected',
      node.place,
      node.type === 'String' ? [{ message: `write \`[${node.text}]\`` }] : [],
    );
  if (node.items.length === 0)
    throw new InputError('the list must not be empty: without a role everything is denied', node.place);
  return [...new Set(node.items.map(textOf))];
}

/** Numbers are doubles, as those of a request are. */
function valueOf(node: YamlNode): JsonValue {
  switch (node.type) {
    case 'Null':
      return null;
    case 'Bool':
      return node.text.toLowerCase() === 'true';
    case 'Integer':
    case 'Float':
      return numberOf(node.text);
    case 'String':
      // In a policy `1e3` is a text; in JSON, and so here, a number.
      return node.style === 'plain' && JSON_NUMBER.test(node.text) ? Number(node.text) : node.text;
    case 'Sequence':
      return node.items.map(valueOf);
    case 'Mapping':
      return objectOf(node);
    case 'Nan':
    case 'Infinity':
      throw new InputError('no request can have this number', node.place);
  }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Without a prototype, so that any key is an ordinary one. */
function objectOf(mapping: YamlMapping): { readonly [name: string]: JsonValue } {
  const result = Object.create(null) as Record<string, JsonValue>;
  for (const { key, value } of mapping.entries) {
    if (key.type !== 'String') throw new InputError('a key must be a text', key.place, quoted(key.text, key.place));
    result[key.text] = valueOf(value);
  }
  return result;
}

function quoted(text: string, { span }: Place): readonly { readonly message: string }[] {
  return span.end > span.start ? [{ message: `write it in quotes: \`"${text}"\`` }] : [];
}
