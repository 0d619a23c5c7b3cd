import { didYouMean, suggestName } from '../../packages/cel/check/did-you-mean.js';
import type { Details, Note } from '../diagnostics/diagnostic.js';
import type { Place } from '../diagnostics/span.js';
import type { Kind, MessageType } from './schema/field.js';
import { DOCUMENT } from './schema/tables.js';
import type { YamlKey, YamlMapping, YamlNode } from './yaml/node.js';

/** Advice for a key that is not a field of its mapping. */
export function adviseField(name: string, type: MessageType, mapping: YamlMapping): readonly Note[] {
  const known = type.fields.map((field) => field.name);
  if (type === DOCUMENT) {
    const advice = adviseFile(mapping);
    if (advice !== undefined) return [{ message: advice }];
  }
  // `and` is more like `any` than like `all`.
  const other = otherNames.get(name.toLowerCase());
  if (other !== undefined && known.includes(other)) return [suggestName(name, other)];
  const near = didYouMean(name, known);
  if (near.length > 0) return near;
  const longer = type === DOCUMENT ? [] : known.filter((field) => wordsOf(field).includes(name.toLowerCase()));
  if (longer.length === 1) return [suggestName(name, longer[0] as string)];
  const owners = listOwners(name);
  if (owners.length > 0)
    return [{ message: `\`${name}\` is a field of ${joined(owners)}: check the indentation, and where it belongs` }];
  if (/^(allow|deny|permit|forbid)$/i.test(name) && known.includes('effect'))
    return [{ message: 'write `effect: EFFECT_ALLOW` or `effect: EFFECT_DENY`' }];
  return [{ message: `the fields here are ${joined(known)}` }];
}

/** The words of a field, in lower case: `allow` and `actions` of `allowActions`. */
function wordsOf(field: string): readonly string[] {
  return field.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** Advice for a file that is not a policy at all; undefined if it looks like one. */
function adviseFile({ entries }: YamlMapping): string | undefined {
  const keys = entries.map(({ key }) => key.text);
  if (keys.some((key) => policyTypes.has(key))) return undefined;
  if (entries.some(({ key, value }) => key.text === 'apiVersion' && isOwnVersion(value))) return undefined;
  if (keys.includes('tests')) return 'a file of tests needs a name that ends in `_test.yaml`, as in `album_test.yaml`';
  const near = keys
    .filter((key) => key !== 'version')
    .flatMap((key) => didYouMean(key, ['apiVersion', ...policyTypes]));
  if (near.some(({ suggestion }) => suggestion?.nearest !== 'apiVersion' || !keys.includes('apiVersion')))
    return undefined;
  if (keys.some((key) => ONLY_IN_POLICIES.has(key))) return undefined;
  if (keys.some((key) => key === 'principals' || key === 'resources' || key === 'auxData'))
    return 'a file of principals or resources for tests belongs in a folder `testdata`';
  return 'this file is not a policy, which has `apiVersion: api.authz.dev/v1` and one policy such as `resourcePolicy`: move it out of the folder, or into a folder whose name starts with a dot';
}

/** Whether a version of an API is that of policies, or was meant to be: Kubernetes and Helm have others. */
function isOwnVersion(value: YamlNode): boolean {
  return !('text' in value) || /^$|authz|cerbos/i.test(value.text);
}

/** Keys of policies that other files rarely have: the name of the type of the policy may be missing above them. */
const ONLY_IN_POLICIES: ReadonlySet<string> = new Set([
  'resource',
  'principal',
  'role',
  'rules',
  'definitions',
  'importDerivedRoles',
]);

const policyTypes: ReadonlySet<string> = new Set(
  DOCUMENT.alternatives.flatMap(({ of }) => of).flatMap((name) => spellings(name)),
);

function spellings(name: string): readonly string[] {
  return [...DOCUMENT.bySpelling].filter(([, field]) => field.name === name).map(([spelling]) => spelling);
}

/** Fields under the names that they have in other languages. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['if', 'condition'],
  ['when', 'condition'],
  ['where', 'condition'],
  ['expression', 'expr'],
  ['cel', 'expr'],
  ['imports', 'importDerivedRoles'],
  ['import', 'importDerivedRoles'],
  ['statements', 'rules'],
  ['policies', 'rules'],
  ['permissions', 'actions'],
  ['verbs', 'actions'],
  ['operations', 'actions'],
  ['groups', 'roles'],
  ['subjects', 'roles'],
  ['kind', 'resource'],
  ['type', 'resource'],
  ['and', 'all'],
  ['or', 'any'],
  ['not', 'none'],
  ['items', 'of'],
  ['inherits', 'parentRoles'],
  ['extends', 'parentRoles'],
  ['parents', 'parentRoles'],
]);

/** The paths of the mappings that have this field, without those in other mappings of the same type. */
function listOwners(name: string): readonly string[] {
  return owners.get(name)?.slice(0, MOST_OWNERS) ?? [];
}

const MOST_OWNERS = 3;

const owners: ReadonlyMap<string, readonly string[]> = findOwners();

function findOwners(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const seen = new Set<MessageType>();
  const queue: { readonly type: MessageType; readonly path: string }[] = [{ type: DOCUMENT, path: '' }];
  for (const { type, path } of queue) {
    if (seen.has(type)) continue;
    seen.add(type);
    for (const [spelling, field] of type.bySpelling) {
      const paths = found.get(spelling) ?? [];
      found.set(spelling, [...paths, path === '' ? 'the document' : `\`${path}\``]);
      const below = findMessage(field.kind);
      if (below === undefined || spelling !== field.name) continue;
      queue.push({ type: below.type, path: `${path === '' ? '' : `${path}.`}${field.name}${below.suffix}` });
    }
  }
  return found;
}

function findMessage(kind: Kind): { readonly type: MessageType; readonly suffix: string } | undefined {
  if (kind.kind === 'object') return { type: kind.type(), suffix: '' };
  const inner = kind.kind === 'list' ? kind.item : kind.kind === 'map' ? kind.value : undefined;
  return inner?.kind === 'object' ? { type: inner.type(), suffix: '[]' } : undefined;
}

function joined(names: readonly string[]): string {
  const shown = names.map((name) => (name.startsWith('`') || name.includes(' ') ? name : `\`${name}\``));
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Advice for a key that is not a string. */
export function adviseKey({ type, text }: YamlKey): readonly Note[] {
  switch (type) {
    case 'Null':
    case 'Bool':
    case 'Integer':
    case 'Float':
    case 'Nan':
    case 'Infinity':
      return [{ message: `write it in quotes: \`"${text}"\`` }];
    case 'Tag':
      return [{ message: 'remove the tag: a key is always a string' }];
    case 'Anchor':
      return [{ message: 'put the anchor before the value' }];
    case 'Alias':
      return [{ message: `write out the key, or put it in quotes: \`"${text}"\`` }];
    case 'MappingKey':
    case 'Sequence':
    case 'Mapping':
      return [{ message: 'write a string before the colon, without `? `' }];
    case 'String':
    case 'Broken':
      return [];
  }
}

/** Advice for a value of the wrong type. */
export function adviseType(expected: string, node: YamlNode, type?: MessageType): readonly Note[] {
  const text = 'text' in node ? node.text : '';
  const isShort = text !== '' && text.length <= 40 && !text.includes('\n');
  if (node.type === 'Null')
    return [{ message: 'the key has no value: write one, or indent the lines that belong to it' }];
  switch (expected) {
    case 'sequence':
      if (node.type === 'Mapping') return [{ message: 'write a list: begin each item with `- `' }];
      return [{ message: isShort ? `write a list: \`[${quote(text)}]\`` : 'write a list: `[a, b]`' }];
    case 'string value':
      if (node.type === 'Sequence') return [{ message: 'write one string, without brackets and without `- `' }];
      if (node.type === 'Mapping')
        return [{ message: 'write one string; a string that contains `: ` or `{` needs quotes or a block, `|-`' }];
      return [{ message: isShort ? `write it in quotes: \`"${text}"\`` : 'write it in quotes' }];
    case 'boolean value':
      return [{ message: 'write `true` or `false`, without quotes' }];
    case 'object':
    case 'map': {
      const example = objectExamples.find(([name]) => type?.fields.some((field) => field.name === name));
      if (example !== undefined) return [{ message: `write fields below the key, such as \`${example[1]}\`` }];
      if (node.type === 'Sequence') return [{ message: 'write fields as `name: value`, without `- ` before them' }];
      return [{ message: 'write fields as `name: value`, on lines of their own and indented below the key' }];
    }
  }
  return [];
}

/** How objects begin that are often written as one value, by a field that only they have. */
const objectExamples: readonly (readonly [field: string, example: string])[] = [
  ['match', 'match: {expr: R.attr.owner == P.id}'],
  ['when', 'when: {ruleActivated: P.id}'],
  ['expr', 'expr: R.attr.owner == P.id'],
  ['of', 'of: [{expr: R.attr.owner == P.id}]'],
  ['ref', 'ref: authz:///album.json'],
  ['ruleActivated', 'ruleActivated: P.id'],
  ['action', 'action: view'],
  ['resourceSchema', 'resourceSchema: {ref: authz:///album.json}'],
  ['local', 'local: {name: value}'],
  ['definitions', 'definitions: [{name: owner, parentRoles: [user]}]'],
];

function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Advice for a name of an enum value: `ALLOW` or `permit` for `EFFECT_ALLOW`. */
export function adviseEnum(written: string, names: readonly string[]): readonly Note[] {
  const word = written.trim().toUpperCase();
  const whole = names.find((name) => word !== '' && (name === word || name.endsWith(`_${word}`)));
  if (whole !== undefined) return [suggestName(written, whole, { isSafe: true })];
  const meaning = effects.find(([words]) => words.test(written))?.[1];
  if (meaning !== undefined && names.includes(meaning)) return [suggestName(written, meaning)];
  const near = written.startsWith('EFFECT_') ? effectNear(written, names) : didYouMean(written, names);
  const usual = names.filter((name) => !name.endsWith('_UNSPECIFIED'));
  return near.length > 0 ? near : [{ message: `write ${joined(usual).replace(/ and (?=[^ ]*$)/, ' or ')}` }];
}

/** The effect that a name with its prefix means: no spelling of `EFFECT_PERMIT` is near `EFFECT_ALLOW`. */
function effectNear(written: string, names: readonly string[]): readonly Note[] {
  const meaning = effects.find(([words]) => words.test(written.slice('EFFECT_'.length)))?.[1];
  return meaning === undefined ? didYouMean(written, names) : [suggestName(written, meaning)];
}

const effects: readonly (readonly [words: RegExp, effect: string])[] = [
  [/^(allows?|allowed|permit|permitted|grant|accept|yes|true|on)$/i, 'EFFECT_ALLOW'],
  [/^(den(y|ies|ied)|forbid|forbidden|reject|refuse|block|no|false|off)$/i, 'EFFECT_DENY'],
];

/** Advice for a string that does not match the pattern of its field. */
export function advisePattern(field: string, text: string): readonly Note[] {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (/^resourcePolicy\.resource$/.test(field) && /[*?{}[\]!]/.test(text))
    return [
      {
        message:
          'a resource policy is for one kind of resource, without wildcards: write a policy for each kind, or a role policy or principal policy, whose rules accept them',
      },
    ];
  if (/^principalPolicy\.principal$|^rolePolicy\.role$/.test(field) && /[*?{}[\]!]/.test(text))
    return [
      {
        message:
          'the policy is for one name, without wildcards: for everyone, write `roles: ["*"]` in a resource policy',
      },
    ];
  if (/version$/i.test(name))
    return rename(text, text.replace(/\W+/g, '_').replace(/^_+|_+$/g, ''), 'letters, digits and `_`');
  if (/scope/i.test(name))
    return rename(
      text,
      text
        .replace(/[^\w.-]+/g, '.')
        .replace(/\.{2,}/g, '.')
        .replace(/^[._-]+|\.+$/g, ''),
      'segments of letters, digits, `_` and `-`, joined by dots',
    );
  if (/[*?{}[\]!]/.test(text)) return [{ message: 'write an exact name, without wildcards' }];
  const start = /rules\[|outputs?/.test(field) ? /^[^a-zA-Z]+/ : /^[^\w]+/;
  return rename(
    text,
    text
      .trim()
      .replace(/[^\w.-]+/g, '_')
      .replace(start, ''),
    'letters, digits, `_`, `-` and `.`',
  );
}

function rename(written: string, nearest: string, allowed: string): readonly Note[] {
  const message = `it may have ${allowed}`;
  if (nearest === '' || nearest === written) return [{ message }];
  return [{ message: `${message}: write \`${nearest}\``, suggestion: { written, nearest } }];
}

/** The notes and the fix for a field that has only one value: `apiVersion`. */
export function adviseExactText(written: string, text: string, place: Place): Details {
  const { source, start, end } = place.span;
  const at = source.text.slice(start, end).indexOf(written);
  // The version of the reference PDP has the same meaning, and no other spelling can mean another version.
  const isSafe = written === REFERENCE_API || written.toLowerCase().trim() === text;
  const message =
    written === REFERENCE_API
      ? `write \`${text}\`; \`authzc migrate\` moves a repository from Cerbos, with schemas and configuration`
      : `write \`${text}\``;
  const fix = {
    description: `replace \`${written}\` with \`${text}\``,
    span: { source, start: start + at, end: start + at + written.length },
    text,
    isSafe,
  };
  return { notes: [{ message }], fix: at < 0 || written === '' ? undefined : fix };
}

const REFERENCE_API = 'api.cerbos.dev/v1';

/** Advice for a field that is required: what to add. */
export function adviseRequired(field: string): readonly Note[] {
  const name = field.slice(field.lastIndexOf('.') + 1);
  const example = examples.get(name);
  return [{ message: example === undefined ? `add \`${name}\` with a value` : `add \`${example}\`` }];
}

const examples: ReadonlyMap<string, string> = new Map([
  ['apiVersion', 'apiVersion: api.authz.dev/v1'],
  ['version', 'version: default'],
  ['effect', 'effect: EFFECT_ALLOW` or `effect: EFFECT_DENY'],
  ['actions', 'actions: [view]'],
  ['roles', 'roles: [user]'],
  ['parentRoles', 'parentRoles: [user]'],
  ['resource', 'resource: album'],
  ['expr', 'expr: R.attr.owner == P.id'],
  ['of', 'of:` with a list of matches, such as `- expr: R.attr.public'],
]);

/** Advice for a group of fields of which one is required. */
export function adviseAlternatives(names: readonly string[]): readonly Note[] {
  return [{ message: `add one of ${joined(names)}` }];
}
