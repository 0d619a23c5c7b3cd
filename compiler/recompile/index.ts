import { type Compilation, type CompileOptions, compile } from '../compile.js';
import { type Diagnostic, Diagnostics, inOrder, MOST_KEPT, MOST_SEARCHES } from '../diagnostics/diagnostic.js';
import type { Code } from '../diagnostics/messages.js';
import type { Source } from '../diagnostics/source.js';
import { emitHash } from '../emit/bundle-index.js';
import { emitManifest, MANIFEST } from '../emit/manifest.js';
import { type Places, findPlaces } from '../emit/index.js';
import { type ModuleFacts, type TypeFacts, collectTypeFacts } from '../emit/permissions/facts.js';
import { TENANT_ROLES } from '../emit/tenant-roles.js';
import { emitTypeFacts } from '../emit/types.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import type { Program } from '../ir/program.js';
import { parse } from '../parse/index.js';
import { version } from '../version.js';
import { isLeaf, keysAbove, makeRecord } from './record.js';
import { type DocumentRecord, hashSources, serializeSettings, type Snapshot } from './snapshot.js';

/** The snapshot of a compilation; undefined if it was refused. */
export function makeSnapshot(
  sources: readonly Source[],
  { files, program, diagnostics }: Compilation,
  options: CompileOptions,
): Snapshot | undefined {
  if (program === undefined) return undefined;
  const places = findPlaces(program.modules, program.schemas);
  const typeFacts = collectTypeFacts(program);
  return {
    settings: serializeSettings(options),
    sources: hashSources(sources),
    documents: makeRecords(sources, program, places),
    files,
    types: emitTypeFacts(typeFacts),
    typeFacts,
    hashed: hashedPaths(program, files, places),
    diagnostics,
    policies: program.modules.length,
  };
}

/**
 * Compiles only the files that differ from those of a snapshot, together with what they import, and takes the rest from
 * the snapshot: the result equals that of compiling everything. Returns undefined if that is not certain: if a file was
 * added, removed or renamed, if other documents can read what changed, or if there are errors. The caller then compiles
 * everything; files that were parsed here are not parsed again.
 *
 * @param before its places are in the given sources, wherever the texts are equal.
 */
export function recompile(sources: readonly Source[], before: Snapshot, options: CompileOptions): Snapshot | undefined {
  const hashes = hashSources(sources);
  if (before.settings !== serializeSettings(options) || !haveSamePaths(hashes, before.sources)) return undefined;
  const changed = new Set([...hashes].flatMap(([path, hash]) => (before.sources.get(path) === hash ? [] : [path])));
  if (changed.size === 0) return before;
  const involved = involvedIn(changed, before.documents);
  if (involved === undefined) return undefined;

  const part = sources.filter(({ path }) => involved.has(path));
  const { program, files, diagnostics } = compile(part, new Diagnostics(), options);
  if (program === undefined) return undefined;
  const documents = new Map(before.documents);
  const readsNames = [...documents.values()].some(({ kind }) => kind === 'invariants' || kind === 'tenant-roles');
  for (const [path, record] of makeRecords(part, program, findPlaces(program.modules, program.schemas))) {
    if (!changed.has(path)) continue;
    if (!isInterchangeable(record, before.documents.get(path), readsNames)) return undefined;
    documents.set(path, record);
  }
  if (!haveSameFunctions(documents, before.documents)) return undefined;
  const merged = mergedFiles(before, files, changed);
  const warnings = mergedDiagnostics(before, diagnostics, changed);
  if (merged === undefined || warnings === undefined) return undefined;
  const byPath = new Map(merged.map((file) => [file.path, file]));
  const hash = emitHash(before.hashed.map((path) => byPath.get(path) as EmittedFile));
  const own = merged.map((file) => (file.path === hash.path ? hash : file));
  const emitted = sources.filter(({ path }) => documents.get(path)?.kind !== 'invariants');
  const manifest = emitManifest(own, emitted, version);
  const typeFacts = mergedTypeFacts(before, collectTypeFacts(program).modules, changed);
  return {
    ...before,
    sources: hashes,
    documents,
    typeFacts,
    types: emitTypeFacts(typeFacts),
    files: [...own, manifest].sort((a, b) => (a.path < b.path ? -1 : 1)),
    diagnostics: warnings,
  };
}

function haveSamePaths(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one.keys()].every((path) => other.has(path));
}

/** Whether `selects` of the bundle names the same functions. */
function haveSameFunctions(one: Snapshot['documents'], other: Snapshot['documents']): boolean {
  const [functions, others] = [one, other].map(
    (documents) => new Set([...documents.values()].flatMap((record) => record.functions)),
  ) as [Set<string>, Set<string>];
  return functions.size === others.size && [...functions].every((name) => others.has(name));
}

export function makeRecords(
  sources: readonly Source[],
  program: Program,
  places: Places,
): ReadonlyMap<string, DocumentRecord> {
  const modules = new Map(program.modules.map((module) => [module.sourcePath, module]));
  return new Map(
    sources.flatMap((source) => {
      const file = parse(source, new Diagnostics());
      return file === undefined || file.disabled
        ? []
        : [[source.path, makeRecord(file, modules.get(source.path), places)] as const];
    }),
  );
}

function hashedPaths(
  { modules, schemas, tenantRoles }: Program,
  files: readonly EmittedFile[],
  places: Places,
): readonly string[] {
  const emitted = new Set(files.map(({ path }) => path));
  const stems = [
    ...modules.map(({ key }) => places.locations.get(key)?.path),
    ...schemas.map(({ file }) => places.schemas.paths.get(file)),
    ...(tenantRoles === undefined ? [] : [TENANT_ROLES]),
  ];
  return stems.flatMap((stem) => [`${stem}.ts`, `${stem}.where.ts`]).filter((path) => emitted.has(path));
}

/**
 * The files that the compilation of some files reads: what they import, directly or not, and the same policies at the
 * ancestors of their scopes. Undefined if compiling everything is simpler, or if other documents can read one of the
 * files.
 */
function involvedIn(
  changed: ReadonlySet<string>,
  documents: ReadonlyMap<string, DocumentRecord>,
): ReadonlySet<string> | undefined {
  const keys = new Set<string>();
  for (const path of changed) {
    const record = documents.get(path);
    if (record === undefined || !isLeaf(record)) return undefined;
    for (const key of [record.key, ...keysAbove(record.key)]) keys.add(key);
  }
  const paths = new Map([...documents].map(([path, { key }]) => [key, path]));
  const pending = [...keys].flatMap((key) => paths.get(key) ?? []);
  const involved = new Set(changed);
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    involved.add(path);
    for (const key of documents.get(path)?.imports ?? []) {
      const imported = paths.get(key);
      if (imported !== undefined && !involved.has(imported)) pending.push(imported);
    }
  }
  return involved.size > documents.size / 2 && documents.size > FEW ? undefined : involved;
}

/** Up to this many documents, all may be involved. */
const FEW = 20;

/** Whether all other documents, and the files that all share, stay as they are if one takes the place of the other. */
function isInterchangeable(after: DocumentRecord, before: DocumentRecord | undefined, readsNames: boolean): boolean {
  if (before === undefined || (readsNames && after.names !== before.names)) return false;
  return after.key === before.key && after.header === before.header && after.facts === before.facts;
}

/**
 * The files of the snapshot with those of the changed policies replaced, without the manifest. Undefined if a policy
 * now has other files, which the indexes then import.
 */
function mergedFiles(
  before: Snapshot,
  part: readonly EmittedFile[],
  changed: ReadonlySet<string>,
): readonly EmittedFile[] | undefined {
  const own = new Set([...changed].flatMap((path) => filesAt(before.documents.get(path)?.stem as string)));
  const after = new Map(part.flatMap((file) => (own.has(file.path) ? [[file.path, file] as const] : [])));
  const replaced = before.files.filter(({ path }) => own.has(path));
  if (replaced.length !== after.size || !replaced.every(({ path }) => after.has(path))) return undefined;
  return before.files.flatMap((file) => (file.path === MANIFEST ? [] : [after.get(file.path) ?? file]));
}

/** The files that a module may have. */
function filesAt(stem: string): readonly string[] {
  return [`${stem}.ts`, `${stem}.where.ts`, `traced/${stem}.ts`];
}

/** The facts of the snapshot with those of the changed policies replaced. */
function mergedTypeFacts(
  { typeFacts, documents }: Snapshot,
  part: readonly ModuleFacts[],
  changed: ReadonlySet<string>,
): TypeFacts {
  const keys = new Set([...changed].map((path) => documents.get(path)?.key));
  const after = new Map(part.flatMap((facts) => (keys.has(facts.key) ? [[facts.key, facts] as const] : [])));
  const modules = typeFacts.modules.map((before): ModuleFacts => {
    const facts = after.get(before.key);
    if (facts === undefined) return before;
    // Both name the same schemas; the names of types depend on all schemas.
    return facts.kind === 'resource' && before.kind === 'resource'
      ? { ...facts, attributes: before.attributes }
      : facts;
  });
  return { ...typeFacts, modules };
}

/**
 * The warnings of the snapshot with those of the changed policies replaced. Undefined if other warnings may change with
 * them.
 */
function mergedDiagnostics(
  { diagnostics: before, documents }: Snapshot,
  part: readonly Diagnostic[],
  changed: ReadonlySet<string>,
): readonly Diagnostic[] | undefined {
  const isIn = (path: string | undefined): boolean => path !== undefined && changed.has(path);
  // Conditions of derived roles are examined for each policy that uses them.
  const dependsOnOthers = ({ code, source }: Diagnostic): boolean => {
    const record = documents.get(source?.path ?? '');
    return code.startsWith('attribute/') && (record === undefined || !isLeaf(record));
  };
  const kept = before.filter(({ source }) => !isIn(source?.path));
  const dropped = before.filter(({ source }) => isIn(source?.path));
  if (dropped.some(({ code }) => ABOUT_THE_SET.has(code))) return undefined;
  if ([...kept, ...part].some(dependsOnOthers)) return undefined;
  if (kept.some(({ notes }) => notes.some(({ span }) => isIn(span?.source.path)))) return undefined;
  // Those about the set are wrong, because the compilation had only a part of it. The snapshot has none in these files,
  // and their headers are the same.
  const own = part.filter(({ code, source }) => isIn(source?.path) && !ABOUT_THE_SET.has(code));
  const merged = [...kept, ...own].sort(inOrder);
  return [before, part, merged].some(isLimited) ? undefined : merged;
}

/** Whether a limit of a run may have applied: what is then left out depends on the order of the files. */
export function isLimited(diagnostics: readonly Diagnostic[]): boolean {
  const searched = diagnostics.filter(({ code }) => code.startsWith('attribute/') || ABOUT_THE_SET.has(code));
  return diagnostics.length >= MOST_KEPT || searched.length >= MOST_SEARCHES;
}

/** The warnings in a policy that depend on policies it does not import. */
const ABOUT_THE_SET: ReadonlySet<Code> = new Set([
  'role-policy/never-matches',
  'role-policy/parent-roles-differ',
  'role-policy/parent-roles-in-one-version',
  'principal-policy/never-matches',
]);
