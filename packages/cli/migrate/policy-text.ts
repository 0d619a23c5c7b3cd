import { posix } from 'node:path';
import { isMap, isPair, isScalar, type Node, type Scalar, visit } from '../../yaml-input/index.js';
import { isPolicyFile } from '../../../compiler/load/index.js';
import { applyEdits, type Edit, nodeAt, parseYaml, replacePrefix, textAt, type YamlText } from './yaml-edits.js';

/** The version of the policy language that policies of the reference PDP name. */
export const REFERENCE_API = 'api.cerbos.dev/v1';
const OWN_API = 'api.authz.dev/v1';
const REFERENCE_URL = 'cerbos:///';
const OWN_URL = 'authz:///';

const POLICY_KINDS = [
  'resourcePolicy',
  'principalPolicy',
  'rolePolicy',
  'derivedRoles',
  'exportVariables',
  'exportConstants',
  'invariants',
  'tenantRoles',
];

/** What a migrated file consists of: one text, or one for each of its documents. */
export interface Migrated {
  readonly texts: readonly string[];
  /** What changed, in a few words. */
  readonly changes: readonly string[];
}

/** The policies of a file; undefined if it has none, or is not well-formed. */
export function readPolicies(path: string, text: string): YamlText | undefined {
  if (!isPolicyFile(posix.basename(path))) return undefined;
  if (!text.includes(REFERENCE_API) && !text.includes(OWN_API)) return undefined;
  const yaml = parseYaml(text);
  return yaml?.documents.some(({ contents }) => isPolicy(contents)) === true ? yaml : undefined;
}

function isPolicy(contents: Node | null): boolean {
  const version = textAt(contents, ['apiVersion']);
  if (version !== REFERENCE_API && version !== OWN_API) return false;
  return POLICY_KINDS.some((kind) => nodeAt(contents, [kind]) !== undefined);
}

/**
 * Migrates a file of policies: the version of the language, the URLs of schemas and the modelines of editors. A file
 * with several policies becomes several texts.
 *
 * @param path of the file, to which schemas of editors are relative.
 */
export function migratePolicies(path: string, { text, documents, comments }: YamlText): Migrated {
  const versions = documents.flatMap(
    ({ contents }) => replacePrefix(text, nodeAt(contents, ['apiVersion']), REFERENCE_API, OWN_API) ?? [],
  );
  const references = documents.flatMap(({ contents }) =>
    ['principalSchema', 'resourceSchema'].flatMap(
      (part) =>
        replacePrefix(text, nodeAt(contents, ['resourcePolicy', 'schemas', part, 'ref']), REFERENCE_URL, OWN_URL) ?? [],
    ),
  );
  const editors = editorEdits(path, { text, documents, comments });
  const edits = [...versions, ...references, ...editors];
  const changes = [
    ...(versions.length > 0 ? ['apiVersion'] : []),
    ...(references.length > 0 ? ['URLs of schemas'] : []),
    ...(editors.length > 0 ? ['schema of editors'] : []),
  ];
  const ends = listEnds(documents);
  if (ends.length < 2) return { texts: [applyEdits(text, edits)], changes };
  const texts = ends.map((end, index) => {
    const part = applyEdits(text, edits, index === 0 ? 0 : ends[index - 1], end);
    return index === 0 ? part : part.replace(MARKER, '');
  });
  return { texts, changes: [...changes, `${texts.length} documents in as many files`] };
}

/** Where each document with content ends; the last one ends with the file. */
function listEnds(documents: YamlText['documents']): readonly number[] {
  const ends = documents.filter(({ contents }) => isMap(contents)).map(({ range }) => range[2]);
  return ends.length === 0 ? [] : [...ends.slice(0, -1), documents.at(-1)?.range[2] ?? 0];
}

/** The line that begins a further document. */
const MARKER = /^---[ \t]*\r?\n/;

/** Migrates a suite of tests or a file of fixtures: only the schemas of editors change. */
export function migrateTests(path: string, text: string): Migrated | undefined {
  const yaml = text.includes('api.cerbos.dev') ? parseYaml(text) : undefined;
  const edits = yaml === undefined ? [] : editorEdits(path, yaml);
  return edits.length === 0 ? undefined : { texts: [applyEdits(text, edits)], changes: ['schema of editors'] };
}

/** Migrates a JSON schema: the URLs of other schemas. */
export function migrateSchema(text: string): Migrated | undefined {
  const yaml = text.includes(REFERENCE_URL) ? parseYaml(text) : undefined;
  if (yaml === undefined) return undefined;
  const edits: Edit[] = [];
  for (const document of yaml.documents)
    visit(document, {
      Scalar: (_key, node, ancestors) => {
        const pair = ancestors.at(-1);
        if (!isPair<Scalar>(pair) || pair.value !== node || !isReference(pair.key)) return;
        const edit = replacePrefix(text, node, REFERENCE_URL, OWN_URL);
        if (edit !== undefined) edits.push(edit);
      },
    });
  return edits.length === 0 ? undefined : { texts: [applyEdits(text, edits)], changes: ['URLs of schemas'] };
}

function isReference(key: unknown): boolean {
  return isScalar(key) && (key.value === '$ref' || key.value === '$id');
}

/** The file of our schemas for each of theirs. */
const EDITOR_SCHEMAS: Readonly<Record<string, string>> = {
  'Policy.schema.json': 'policy.schema.json',
  'TestSuite.schema.json': 'test-suite.schema.json',
  'TestFixture/Principals.schema.json': 'principals.schema.json',
  'TestFixture/Resources.schema.json': 'resources.schema.json',
  'TestFixture/AuxData.schema.json': 'aux-data.schema.json',
};

const EDITOR_URL = /https:\/\/api\.cerbos\.dev\/[^\s"']*?\/policy\/v1\/([\w./]+)/;

/** Edits of modelines (`# yaml-language-server: $schema=URL`) and of `$schema`. */
function editorEdits(path: string, { text, documents, comments }: YamlText): readonly Edit[] {
  const modelines = comments
    .filter(({ source }) => /^#\s*yaml-language-server:\s*\$schema\s*=/.test(source))
    .flatMap(({ offset, source }) => editorEdit(path, source, offset) ?? []);
  const fields = documents.flatMap(({ contents }) => {
    const node = nodeAt(contents, ['$schema']);
    const [start = 0, end = 0] = node?.range ?? [];
    return isScalar(node) ? (editorEdit(path, text.slice(start, end), start) ?? []) : [];
  });
  return [...modelines, ...fields];
}

function editorEdit(path: string, source: string, offset: number): Edit | undefined {
  const match = EDITOR_URL.exec(source);
  const file = EDITOR_SCHEMAS[match?.[1] ?? ''];
  if (match === null || file === undefined) return undefined;
  const start = offset + match.index;
  const target = posix.relative(posix.dirname(path), `node_modules/authzc/schemas/${file}`);
  return { start, end: start + match[0].length, text: target };
}
