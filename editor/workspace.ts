import { realpathSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importKey, policyKeyOf } from '../compiler/ast/names.js';
import type { PolicyFile } from '../compiler/ast/policy.js';
import { type CompileOptions, programOf } from '../compiler/compile.js';
import { type Diagnostic, Diagnostics } from '../compiler/diagnostics/diagnostic.js';
import type { Code } from '../compiler/diagnostics/messages.js';
import { Source } from '../compiler/diagnostics/source.js';
import {
  isReadFromPolicies,
  isSuiteFile,
  load,
  loadSuites,
  type SuiteFiles,
  type TestFile,
} from '../compiler/load/index.js';
import { parse } from '../compiler/parse/index.js';
import type { Vocabulary } from '../compiler/validate/vocabulary.js';

/** A file of a folder. */
export interface Indexed {
  readonly source: Source;
  /** The document; that of an earlier text while the current one does not parse. Undefined before one did. */
  readonly file: PolicyFile | undefined;
}

/**
 * A folder of policies as an editor has it: the texts of open documents take the place of those on disk. An edit parses
 * one file; the rest of the work depends on what it imports, not on the size of the folder.
 */
export class Workspace {
  private readonly root: string;
  private onDisk: ReadonlyMap<string, Source> = new Map();
  private schemas: ReadonlyMap<string, string> = new Map();
  private readonly open = new Map<string, Source>();
  private readonly index = new Map<string, Indexed>();
  /** The paths of documents, by key. */
  private readonly byKey = new Map<string, Set<string>>();

  /**
   * @param folder must exist.
   * @param onStep is called before each file that is compiled, as by the compiler.
   */
  constructor(
    readonly folder: string,
    private readonly readVocabulary: () => Vocabulary = () => ({}),
    private readonly onStep?: (step: string) => void,
  ) {
    this.root = realpathSync(folder);
  }

  private suitesOnDisk: readonly SuiteFiles[] = [];

  /** Reads the folder again. Throws an Error if that is not possible; the earlier texts then remain. */
  reload(): void {
    const { sources, schemas } = load(this.root, new Diagnostics(), [...this.onDisk.values()]);
    this.onDisk = new Map(sources.map((source) => [source.path, source]));
    this.schemas = schemas;
    this.suitesOnDisk = loadSuites(this.root);
    for (const path of new Set([...this.index.keys(), ...this.onDisk.keys()])) this.update(path);
  }

  /** The path of a document below the folder, with `/`; undefined if it is not a file of the folder. */
  pathOf(uri: string): string | undefined {
    const file = filePathOf(uri);
    if (file === undefined) return undefined;
    for (const root of [this.folder, this.root]) {
      const path = relative(root, file).split(sep).join('/');
      if (path !== '' && !path.startsWith('../') && kindOf(path) !== undefined) return path;
    }
    return undefined;
  }

  /** The URI of a file of the folder. */
  uriOf(path: string): string {
    return pathToFileURL(join(this.folder, path)).href;
  }

  /** Sets the text of an open document; undefined when it is closed. */
  setText(path: string, text: string | undefined): void {
    if (text === undefined) this.open.delete(path);
    else this.open.set(path, new Source(path, text));
    this.update(path);
  }

  get(path: string): Indexed | undefined {
    return this.index.get(path);
  }

  /** The text of a file that is a policy or open. */
  sourceOf(path: string): Source | undefined {
    return this.index.get(path)?.source ?? this.open.get(path);
  }

  /** The test suites of the folder, with the texts that are open. */
  get suites(): readonly SuiteFiles[] {
    const current = (file: TestFile): TestFile => {
      const source = this.open.get('source' in file ? file.source.path : file.path);
      return source === undefined ? file : { source };
    };
    const onDisk = this.suitesOnDisk.map((suite) => ({
      ...suite,
      file: current(suite.file),
      principals: suite.principals && current(suite.principals),
      resources: suite.resources && current(suite.resources),
      auxData: suite.auxData && current(suite.auxData),
    }));
    const known = new Set(onDisk.map(({ path }) => path));
    const unsaved = [...this.open.values()].filter(({ path }) => kindOf(path) === 'suite' && !known.has(path));
    return [...onDisk, ...unsaved.map(newSuite)];
  }

  /** The sources of all policies, in path order; that of a file is the same object until its text changes. */
  get sources(): readonly Source[] {
    return [...this.index.values()].map(({ source }) => source).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** All policies, by path. */
  get files(): ReadonlyMap<string, Indexed> {
    return this.index;
  }

  /** The documents with a key, such as `derived_roles.common`. */
  withKey(key: string): readonly PolicyFile[] {
    return [...(this.byKey.get(key) ?? [])].flatMap((path) => this.index.get(path)?.file ?? []);
  }

  get vocabulary(): Vocabulary {
    return this.readVocabulary();
  }

  get schemaTexts(): ReadonlyMap<string, string> {
    const prefix = '_schemas/';
    const edited = [...this.open].filter(([path]) => path.startsWith(prefix));
    return new Map([...this.schemas, ...edited.map(([path, { text }]) => [path.slice(prefix.length), text] as const)]);
  }

  /**
   * The diagnostics of one file as far as they depend on what it imports and on the other scopes of its policy: the
   * first answer to an edit.
   */
  diagnoseFile(path: string): readonly Diagnostic[] {
    const sources = this.involvedIn(path).flatMap((involved) => this.index.get(involved)?.source ?? []);
    return this.compiled(sources).filter(({ code, source }) => source?.path === path && !DEPENDS_ON_THE_SET.has(code));
  }

  /** A file, with what it imports, directly or not, and the other scopes of its policy. */
  involvedIn(path: string): readonly string[] {
    const involved = new Set([path]);
    const own = this.index.get(path)?.file;
    const family = own && isExecutable(own) ? familyOf(policyKeyOf(own.policy)) : undefined;
    const scopes = family === undefined ? [] : [...(this.families.get(family) ?? [])];
    const pending = [path, ...scopes];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      involved.add(next);
      for (const key of importsOf(this.index.get(next)?.file))
        for (const imported of this.byKey.get(key) ?? []) if (!involved.has(imported)) pending.push(imported);
    }
    return [...involved].sort();
  }

  /** The paths of policies with the same kind, name and version, in any scope. */
  private readonly families = new Map<string, Set<string>>();

  private compiled(sources: readonly Source[]): readonly Diagnostic[] {
    const report = new Diagnostics();
    const options: CompileOptions = {
      schemaTexts: this.schemaTexts,
      vocabulary: this.vocabulary,
      ...(this.onStep && { onStep: this.onStep }),
    };
    programOf(sources, report, options);
    return report.sorted();
  }

  private update(path: string): void {
    if (kindOf(path) !== 'policy') return;
    const source = this.open.get(path) ?? this.onDisk.get(path);
    const before = this.index.get(path);
    if (before?.source === source) return;
    if (before?.file !== undefined) this.unlist(path, before.file);
    if (source === undefined) {
      this.index.delete(path);
      return;
    }
    const file = parse(source, new Diagnostics()) ?? before?.file;
    this.index.set(path, { source, file });
    if (file !== undefined) this.list(path, file);
  }

  private list(path: string, file: PolicyFile): void {
    const key = policyKeyOf(file.policy);
    addTo(this.byKey, key, path);
    if (isExecutable(file)) addTo(this.families, familyOf(key), path);
  }

  private unlist(path: string, file: PolicyFile): void {
    const key = policyKeyOf(file.policy);
    this.byKey.get(key)?.delete(path);
    this.families.get(familyOf(key))?.delete(path);
  }
}

/** What a file of a folder of policies is, by its path below that. */
export function kindOf(path: string): 'policy' | 'schema' | 'suite' | 'fixtures' | undefined {
  const folders = path.split('/');
  const name = folders.pop() as string;
  if (isReadFromPolicies(path)) return folders[0] === '_schemas' ? 'schema' : 'policy';
  if (isSuiteFile(name)) return folders.includes('testdata') ? undefined : 'suite';
  return folders.at(-1) === 'testdata' && FIXTURES.test(name) ? 'fixtures' : undefined;
}

const FIXTURES = /^(?:principals|resources|auxdata|auxData|aux_data)\.(?:yaml|yml|json)$/;

/** A suite that is not on disk yet. */
function newSuite(source: Source): SuiteFiles {
  return {
    path: source.path,
    file: { source },
    fixtureFolder: posix.join(posix.dirname(source.path), 'testdata'),
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
}

/** The folder of the policies in a folder that an editor has open: `policies`, or itself if it has no packages. */
export function policyFolderIn(root: string): string | undefined {
  const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const policies = join(root, 'policies');
  if (isFolder(policies)) return policies;
  return isFolder(root) && !isFolder(join(root, 'node_modules')) ? root : undefined;
}

/** Undefined for a URI that does not name a file of this machine. */
function filePathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function isExecutable({ policy: { kind } }: PolicyFile): boolean {
  return kind === 'resource' || kind === 'principal' || kind === 'role';
}

function familyOf(key: string): string {
  return key.replace(/\/.*$/s, '');
}

function importsOf(file: PolicyFile | undefined): readonly string[] {
  const { policy } = file ?? {};
  if (policy === undefined || !('variables' in policy)) return [];
  const sets = policy.kind === 'resource' ? policy.importDerivedRoles : [];
  return [
    ...sets.map(({ value }) => importKey('derived_roles', value)),
    ...policy.variables.imports.map(({ value }) => importKey('export_variables', value)),
    ...policy.constants.imports.map(({ value }) => importKey('export_constants', value)),
  ];
}

function addTo(sets: Map<string, Set<string>>, key: string, path: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(path));
}

/** What only a compilation of the whole folder can tell. */
const DEPENDS_ON_THE_SET: ReadonlySet<Code> = new Set([
  'derived-role/never-used',
  'file/never-imported',
  'invariant/unknown-action',
  'invariant/unknown-kind',
  'invariant/unknown-rule',
  'principal-policy/never-matches',
  'role-policy/never-matches',
  'role-policy/parent-roles-differ',
  'scope/permissions-differ',
]);
