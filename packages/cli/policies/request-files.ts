import { readFileSync } from 'node:fs';
import {
  type ActorInput,
  type AuxDataInput,
  MAX_ACTORS,
  type PrincipalInput,
  type ResourceInput,
} from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { Place } from '../../../compiler/diagnostics/span.js';
import { jsonObject, type JsonReader } from '../../../compiler/parse/json-value.js';
import type { YamlMapping, YamlNode } from '../../../compiler/parse/yaml/node.js';
import { readDocument } from '../../../compiler/parse/yaml/read.js';
import { readTables, type TableFile } from '../../../compiler/tables/read-tables.js';
import type { SqlTable, SqlUsers } from '../../../runtime/residual/sql/index.js';
import type { CommandContext } from '../context.js';
import { InputError, MissingError } from '../report.js';
import { explainReadError } from '../../../server/read-error.js';

/** Standard input, which the name `-` stands for. */
type StandardInput = Pick<CommandContext, 'readInput'>;

/**
 * A principal as a file describes it, YAML or JSON: `id` and `roles`, and `attr`, `scope`, `policyVersion` and `actors`,
 * who are described alike. Throws an InputError.
 */
export function readPrincipal(file: string, input: StandardInput): PrincipalInput {
  const fields = readFields(file, input, 'a principal', [...ACTOR_FIELDS, 'actors']);
  const actors = fields.items('actors').map((actor) => readActor(listFields(actor, 'an actor', ACTOR_FIELDS)));
  if (actors.length > MAX_ACTORS)
    throw new InputError(`a principal has at most ${MAX_ACTORS} actors`, undefined, [], file);
  return { ...readActor(fields), actors };
}

/** Reads a principal as `readPrincipal` does, for explanations, which are of one principal. */
export function readPrincipalAlone(file: string, input: StandardInput): PrincipalInput {
  const principal = readPrincipal(file, input);
  if (principal.actors?.length !== 0)
    throw new InputError(
      'explain accepts only one principal',
      undefined,
      [{ message: 'explain the principal and each of its actors separately, each from its own file' }],
      file,
    );
  return principal;
}

/** The principals of a file, below `principals`: each as in a file of one. Throws an InputError. */
export function readPrincipals(file: string, input: StandardInput): readonly PrincipalInput[] {
  return readFields(file, input, 'a file of principals', ['principals'])
    .items('principals')
    .map((principal) => readActor(listFields(principal, 'a principal', ACTOR_FIELDS)));
}

function readActor(fields: Fields): ActorInput {
  return {
    id: fields.string('id') ?? fields.missing('id', 'id: alice'),
    roles: fields.strings('roles') ?? fields.missing('roles', 'roles: [user]'),
    attr: fields.attributes('attr'),
    scope: fields.string('scope'),
    policyVersion: fields.string('policyVersion'),
  };
}

/** A resource as a file describes it: `kind` and `id`, and `attr`, `scope`, `policyVersion`. Throws an InputError. */
export function readResource(file: string, input: StandardInput): ResourceInput {
  return readResourceFields(readFields(file, input, 'a resource', RESOURCE_FIELDS));
}

/** The resources of a file, below `resources`: each as in a file of one. Throws an InputError. */
export function readResources(file: string, input: StandardInput): readonly ResourceInput[] {
  return readFields(file, input, 'a file of resources', ['resources'])
    .items('resources')
    .map((resource) => readResourceFields(listFields(resource, 'a resource', RESOURCE_FIELDS)));
}

function readResourceFields(fields: Fields): ResourceInput {
  return {
    kind: fields.string('kind') ?? fields.missing('kind', 'kind: album'),
    id: fields.string('id') ?? fields.missing('id', 'id: a1'),
    attr: fields.attributes('attr'),
    scope: fields.string('scope'),
    policyVersion: fields.string('policyVersion'),
  };
}

/** Attributes as a file lists them, by name. Throws an InputError. */
export function readAttributes(file: string, input: StandardInput): Attributes {
  return jsonObject(readMapping(file, input), REQUEST_VALUES);
}

/**
 * Reads the claims of tokens, which are assumed to be verified: `jwt`, a map of claims, and `jwts`, a map of names to
 * objects with `claims`. Throws an InputError.
 */
export function readAuxData(file: string, input: StandardInput): AuxDataInput {
  const fields = readFields(file, input, 'auxiliary data', AUX_DATA_FIELDS);
  const tokens = fields.entries('jwts').map(([name, token]) => {
    const claims = listFields(token, 'a token', TOKEN_FIELDS).attributes('claims') ?? {};
    return [name, { claims }] as const;
  });
  return { jwt: fields.attributes('jwt'), jwts: Object.assign(Object.create(null), Object.fromEntries(tokens)) };
}

const ACTOR_FIELDS = ['id', 'roles', 'attr', 'scope', 'policyVersion'];
const RESOURCE_FIELDS = ['kind', 'id', 'attr', 'scope', 'policyVersion'];
const AUX_DATA_FIELDS = ['jwt', 'jwts'];
const TOKEN_FIELDS = ['claims'];

/** Tables by kind, as a file describes them (docs/plans.md#tables-in-a-file). Throws an InputError. */
export function readTableFile(file: string, input: StandardInput): ReadonlyMap<string, SqlTable> {
  return readEnforcedTables(file, input).tables;
}

/** Reads a file of tables, with what a database enforces on them. Throws an InputError. */
export function readEnforcedTables(file: string, input: StandardInput): TableFile {
  return parseEnforcedTables(new Source(file === STANDARD_INPUT ? 'standard input' : file, readText(file, input)));
}

/** Parses the text of a file of tables. Throws an InputError. */
export function parseEnforcedTables(source: Source): TableFile {
  const read = readTables(source);
  if ('tables' in read) return read;
  const [problem] = read.problems;
  throw new InputError(problem?.message ?? 'the file has no tables', problem?.place, problem?.notes, source.path);
}

/** The users of a file of tables. Throws an InputError if it has none. */
export function requireUsers({ users }: TableFile, file: string): SqlUsers {
  if (users === undefined)
    throw new InputError(
      'the file declares no users',
      undefined,
      [{ message: 'add `users` with the table, `id` and `roles`: docs/who-may.md' }],
      file,
    );
  return users;
}

/** The table of a kind in a file of tables. Throws an InputError if it has none. */
export function requireTable({ tables }: Pick<TableFile, 'tables'>, kind: string, file: string): SqlTable {
  const found = tables.get(kind);
  if (found !== undefined) return found;
  const names = [...tables.keys()];
  const near = didYouMean(kind, names);
  throw new InputError(
    `no table is declared for \`${kind}\``,
    undefined,
    near.length > 0 ? near : [{ message: `its tables are for ${names.map((name) => `\`${name}\``).join(', ')}` }],
    file,
  );
}

/** Throws an InputError when several options read standard input. */
export function requireOneReader(files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === STANDARD_INPUT).length > 1)
    throw new InputError('only one option can read standard input (`-`)', undefined, [
      { message: 'name a file for the others' },
    ]);
}

/** The name of standard input. */
const STANDARD_INPUT = '-';

function readMapping(file: string, input: StandardInput): YamlMapping {
  const source = new Source(file === STANDARD_INPUT ? 'standard input' : file, readText(file, input));
  const report = new Diagnostics();
  const document = readDocument(source, report);
  document?.problems.reportTo(report);
  const [problem] = report.sorted();
  if (problem?.code === 'yaml/not-a-policy')
    throw new InputError('expected a map of fields', problem.place, [], source.path);
  if (problem !== undefined) throw new InputError(problem.message, problem.place, problem.notes, source.path);
  if (document === undefined) throw new InputError('the file is empty', undefined, [], source.path);
  return document.root;
}

/** Reads a file or standard input. Throws an InputError. */
export function readText(file: string, { readInput }: StandardInput): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
      file === STANDARD_INPUT ? readInput() : readFileSync(file),
    );
  } catch (error) {
    if (error instanceof TypeError) throw new InputError('is not valid UTF-8', undefined, [], file);
    throw new MissingError(explainReadError(error), undefined, [], file);
  }
}

function readFields(file: string, input: StandardInput, what: string, known: readonly string[]): Fields {
  return listFields(readMapping(file, input), what, known);
}

/** The fields of a map, each read by its type. */
interface Fields {
  readonly string: (name: string) => string | undefined;
  readonly strings: (name: string) => readonly string[] | undefined;
  readonly attributes: (name: string) => Attributes | undefined;
  /** The items of a list; none if it is absent. */
  readonly items: (name: string) => readonly YamlNode[];
  readonly entries: (name: string) => readonly (readonly [string, YamlNode])[];
  readonly missing: (name: string, example: string) => never;
}

function listFields(node: YamlNode, what: string, known: readonly string[]): Fields {
  const mapping = toMapping(node, what);
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
    string: (name) => get(name, readString),
    strings: (name) => get(name, readStrings),
    attributes: (name) => get(name, (value) => jsonObject(toMapping(value, `\`${name}\``), REQUEST_VALUES)),
    items: (name) => get(name, readItems) ?? [],
    entries: (name) =>
      get(name, (value) =>
        toMapping(value, `\`${name}\``).entries.map(({ key, value: own }) => [key.text, own] as const),
      ) ?? [],
    missing: (name, example) => {
      throw new InputError(`${what} needs \`${name}\``, mapping.place, [{ message: `for example \`${example}\`` }]);
    },
  };
}

function toMapping(node: YamlNode, what: string): YamlMapping {
  if (node.type !== 'Mapping') throw new InputError(`${what} must be a map of names to values`, node.place);
  return node;
}

function readItems(node: YamlNode): readonly YamlNode[] {
  if (node.type !== 'Sequence') throw new InputError('expected a list', node.place);
  return node.items;
}

function readString(node: YamlNode): string {
  if (node.type !== 'String')
    throw new InputError(
      'expected a string',
      node.place,
      'text' in node && node.text !== '' ? [{ message: `write it in quotes: \`"${node.text}"\`` }] : [],
    );
  if (node.text === '') throw new InputError('the string must not be empty', node.place);
  return node.text;
}

function readStrings(node: YamlNode): readonly string[] {
  if (node.type !== 'Sequence')
    throw new InputError(
      'expected a list of strings',
      node.place,
      node.type === 'String' ? [{ message: `write \`[${node.text}]\`` }] : [],
    );
  if (node.items.length === 0)
    throw new InputError('the list must not be empty: without a role everything is denied', node.place);
  return [...new Set(node.items.map(readString))];
}

/** Attributes as a request has them. */
const REQUEST_VALUES: JsonReader = {
  // In a policy `1e3` is a string; in JSON, and so here, a number.
  stringValue: ({ style, text, place }) =>
    style === 'plain' && JSON_NUMBER.test(text) ? requireFinite(Number(text), place) : text,
  rejectNumber: ({ place }) => refuseNumber(place),
  rejectKey: ({ text, place }) => {
    throw new InputError('a key must be a string', place, quoted(text, place));
  },
};

function requireFinite(number: number, place: Place): number {
  return Number.isFinite(number) ? number : refuseNumber(place);
}

function refuseNumber(place: Place): never {
  throw new InputError('a request cannot have this number', place);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function quoted(text: string, { span }: Place): readonly { readonly message: string }[] {
  return span.end > span.start ? [{ message: `write it in quotes: \`"${text}"\`` }] : [];
}
