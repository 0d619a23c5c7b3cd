import type { PolicyFile } from '../ast/policy.js';
import { type CompileOptions, makeProgram } from '../compile.js';
import { type Diagnostic, Diagnostics, inOrder } from '../diagnostics/diagnostic.js';
import type { Code } from '../diagnostics/messages.js';
import type { Source } from '../diagnostics/source.js';
import { byPath, emitAround, emitPolicies, findPlaces } from '../emit/index.js';
import { emitManifest } from '../emit/manifest.js';
import { type ModuleOutline, makeOutline } from '../emit/outline.js';
import { type ModuleFacts, collectTypeFacts } from '../emit/permissions/facts.js';
import { emitTypeFacts } from '../emit/types.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import type { Program } from '../ir/program.js';
import { link } from '../link/index.js';
import { fold, optimise } from '../optimise/index.js';
import { parse } from '../parse/index.js';
import { schema } from '../schema/index.js';
import { validateSet } from '../validate/index.js';
import { version } from '../version.js';
import { cutHead } from './head.js';
import { isLimited, makeRecords } from './index.js';
import type { Part } from './partition.js';
import { isLeaf, keysAbove } from './record.js';
import { type DocumentRecord, hashSources, serializeSettings, type Snapshot } from './snapshot.js';

/** What remains of the compilation of a part: enough to merge it with the others. */
export interface CompiledPart {
  readonly modules: readonly CompiledModule[];
  readonly documents: readonly (readonly [path: string, record: DocumentRecord])[];
  /** The keys of the policies above those of the part. */
  readonly above: readonly string[];
  /** The policies of the part, without the documents that it shares with others. */
  readonly heads: readonly PolicyFile[];
  /** The names of the definitions of JSON schemas that the modules import, and the paths of their modules. */
  readonly schemas: readonly (readonly [key: string, name: string])[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A module of a part, and its files. */
interface CompiledModule {
  readonly outline: ModuleOutline;
  /** Absent for derived roles. */
  readonly facts?: ModuleFacts;
  readonly files: readonly EmittedFile[];
  readonly traced: readonly EmittedFile[];
}

/**
 * Compiles a part of a set as if it was the whole, except for the files that all policies share. Undefined if it has
 * errors: they may be wrong, because other parts are missing.
 *
 * @param shared in path order, as the policies of the part.
 */
export function compilePart(
  shared: readonly Source[],
  { policies, above }: Part,
  options: CompileOptions,
): CompiledPart | undefined {
  const report = new Diagnostics();
  const result = makeProgram([...shared, ...above, ...policies], report, options);
  if (result === undefined) return undefined;
  const program = optimise(fold(result.lowered));
  const places = findPlaces(program.modules, program.schemas);
  const facts = new Map(collectTypeFacts(program).modules.map((ofModule) => [ofModule.key, ofModule]));
  // Those above are compiled in their own part.
  const pathsAbove = new Set(above.map(({ path }) => path));
  const isAbove = (path: string | undefined): boolean => path !== undefined && pathsAbove.has(path);
  const own = program.modules.filter(({ sourcePath }) => !isAbove(sourcePath));
  return {
    modules: own.map((module): CompiledModule => {
      const { modules: files, traced } = emitPolicies([module], places, options);
      const ofModule = facts.get(module.key);
      return { outline: makeOutline(module), ...(ofModule && { facts: ofModule }), files, traced };
    }),
    documents: [...makeRecords([...shared, ...policies], program, places)],
    above: program.modules.flatMap(({ sourcePath, key }) => (isAbove(sourcePath) ? [key] : [])),
    heads: policies.flatMap((source) => {
      const file = parse(source, new Diagnostics());
      return file === undefined ? [] : [cutHead(file)];
    }),
    schemas: [...places.schemas.names, ...places.schemas.paths],
    diagnostics: report.sorted().filter(({ source }) => !isAbove(source?.path)),
  };
}

/**
 * The snapshot of the whole set, equal to that of compiling everything at once. Undefined if that is not certain: if
 * there are errors, if the set was not cut as it should, if a name of a module depends on those of other parts, or if
 * limits on warnings may apply. The caller then compiles everything.
 *
 * @param sources those of all parts, in path order; the places of the parts are in them.
 */
export function mergeParts(
  sources: readonly Source[],
  shared: readonly Source[],
  parts: readonly CompiledPart[],
  options: CompileOptions,
): Snapshot | undefined {
  if (!areComplete(parts)) return undefined;
  const set = examinedSet(shared, parts, options);
  if (set === undefined) return undefined;
  const { schemas, diagnostics } = set;
  const modules = [
    ...new Map(parts.flatMap((part) => part.modules).map((module) => [module.outline.identity.key, module])).values(),
  ];
  modules.sort((a, b) => (a.outline.identity.key < b.outline.identity.key ? -1 : 1));
  const outlines = modules.map(({ outline }) => outline);
  const places = findPlaces(
    outlines.map(({ identity }) => identity),
    schemas,
  );
  const documents = new Map<string, DocumentRecord>();
  // A part that does not import a shared document has no module of it.
  for (const [path, record] of parts.flatMap((part) => part.documents))
    if (record.stem !== '' || !documents.has(path)) documents.set(path, record);
  const stems = [...documents.values()].filter(({ stem }) => stem !== '');
  if (stems.some(({ key, stem }) => places.locations.get(key)?.path !== stem)) return undefined;
  const names = new Map([...places.schemas.names, ...places.schemas.paths]);
  if (parts.some((part) => part.schemas.some(([key, name]) => names.get(key) !== name))) return undefined;

  const policies = {
    modules: modules.flatMap((module) => module.files),
    traced: modules.flatMap(({ traced }) => traced),
  };
  const emitted = emitAround(outlines, { schemas }, policies, places, options);
  const typeFacts = {
    modules: modules.flatMap(({ facts }) => facts ?? []),
    aliases: collectTypeFacts({ modules: [], schemas }).aliases,
  };
  return {
    settings: serializeSettings(options),
    sources: hashSources(sources),
    documents: new Map(
      sources.flatMap(({ path }) => {
        const record = documents.get(path);
        return record === undefined ? [] : [[path, record] as const];
      }),
    ),
    files: [...emitted, emitManifest(emitted, sources, version)].sort(byPath),
    types: emitTypeFacts(typeFacts),
    typeFacts,
    hashed: [...policies.modules, ...schemaFiles(emitted, places.schemas.paths)].map(({ path }) => path),
    diagnostics,
    policies: modules.length,
  };
}

/**
 * The JSON schemas and the warnings of the whole set. Undefined if it has errors, or documents that name rules of others.
 * A function of its own so that the heads, which take more memory than what is merged, end with it.
 */
function examinedSet(
  shared: readonly Source[],
  parts: readonly CompiledPart[],
  { schemaTexts = new Map() }: CompileOptions,
): { readonly schemas: Program['schemas']; readonly diagnostics: readonly Diagnostic[] } | undefined {
  const heads = parts.flatMap((part) => part.heads);
  if (heads.some(({ policy }) => !isLeaf(policy))) return undefined;
  const report = new Diagnostics();
  const set = link([...heads, ...shared.flatMap((source) => parse(source, report) ?? [])], report);
  const readsAll = set.documents.some(({ policy }) => policy.kind === 'invariants' || policy.kind === 'tenant-roles');
  if (report.hasErrors || readsAll) return undefined;
  const schemas = schema(set, schemaTexts, report).modules;
  validateSet(set, report);
  const diagnostics = mergedDiagnostics(shared, parts, report);
  return diagnostics === undefined || report.hasErrors ? undefined : { schemas, diagnostics };
}

function schemaFiles(emitted: readonly EmittedFile[], paths: ReadonlyMap<string, string>): readonly EmittedFile[] {
  const own = new Set([...paths.values()].map((path) => `${path}.ts`));
  return emitted.filter(({ path }) => own.has(path));
}

/** Whether each part was compiled with the policies at the ancestors of its scopes. */
function areComplete(parts: readonly CompiledPart[]): boolean {
  const listPolicies = ({ documents }: CompiledPart): readonly string[] =>
    documents.flatMap(([, record]) => (isLeaf(record) ? record.key : []));
  const all = new Set(parts.flatMap(listPolicies));
  return parts.every((part) => {
    const own = listPolicies(part);
    const known = new Set([...own, ...part.above]);
    return own.every((key) => keysAbove(key).every((above) => known.has(above) || !all.has(above)));
  });
}

/** The warnings of the parts and of the set. Undefined if a limit may apply, or if they may depend on other parts. */
function mergedDiagnostics(
  shared: readonly Source[],
  parts: readonly CompiledPart[],
  ofSet: Diagnostics,
): readonly Diagnostic[] | undefined {
  const sharedPaths = new Set(shared.map(({ path }) => path));
  const isShared = ({ source }: Diagnostic): boolean => source === undefined || sharedPaths.has(source.path);
  const found = parts.flatMap(({ diagnostics }) => diagnostics).filter(({ code }) => !DECIDED_ON_THE_SET.has(code));
  // The report names the first of the policies that use the derived role.
  if (found.some((diagnostic) => isShared(diagnostic) && diagnostic.code.startsWith('attribute/'))) return undefined;
  const known = new Set<string>();
  const once = [...ofSet.sorted(), ...found].filter((diagnostic) => {
    if (!isShared(diagnostic)) return true;
    const { code, source, place, message } = diagnostic;
    const key = JSON.stringify([code, source?.path, place?.anchor, message]);
    return known.size !== known.add(key).size;
  });
  return isLimited(once) ? undefined : once.sort(inOrder);
}

/** The warnings that a part cannot decide. */
const DECIDED_ON_THE_SET: ReadonlySet<Code> = new Set([
  'derived-role/never-used',
  'file/never-imported',
  'principal-policy/never-matches',
  'role-policy/never-matches',
  'role-policy/parent-roles-differ',
  'role-policy/parent-roles-in-one-version',
  'schema/invalid',
  'scope/permissions-differ',
]);
