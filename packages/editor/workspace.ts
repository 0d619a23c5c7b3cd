import { realpathSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importKey, policyKeyOf } from '../../compiler/ast/names.js';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import {
  isReadFromPolicies,
  isSuiteFile,
  load,
  loadSuites,
  type SuiteFiles,
  type TestFile,
} from '../../compiler/load/index.js';
import { parse } from '../../compiler/parse/index.js';
import type { Vocabulary } from '../../compiler/validate/vocabulary.js';
import { DEPENDS_ON_THE_SET, findProblems, isTooLarge } from './find-problems.js';

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
  /** All that is derived from the texts, but for those in `stale`. */
  private readonly indexed: Index = { files: new Map(), byKey: new Map(), families: new Map() };
  /** The paths of the texts that changed since something was asked about them: of many edits, one is parsed. */
  private readonly stale = new Set<string>();
  /** Changes with each text. */
  private revision = 0;
  private diagnosed:
    | { readonly path: string; readonly revision: number; readonly found: readonly Diagnostic[] }
    | undefined;

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
    this.outdate(...this.index.files.keys(), ...this.onDisk.keys());
    this.refresh();
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
    const saved = this.onDisk.get(path);
    if (text === undefined) this.open.delete(path);
    else if (text === saved?.text) this.open.set(path, saved);
    else this.open.set(path, new Source(path, text));
    this.outdate(path);
  }

  get(path: string): Indexed | undefined {
    return this.index.files.get(path);
  }

  /** The text of a file that is a policy or open. */
  sourceOf(path: string): Source | undefined {
    return this.get(path)?.source ?? this.open.get(path);
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
    return [...this.files.values()].map(({ source }) => source).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** All policies, by path. */
  get files(): ReadonlyMap<string, Indexed> {
    return this.index.files;
  }

  /** The documents with a key, such as `derived_roles.common`. */
  withKey(key: string): readonly PolicyFile[] {
    return [...(this.index.byKey.get(key) ?? [])].flatMap((path) => this.get(path)?.file ?? []);
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
   * first answer to an edit. Until a text changes, those that were found before.
   */
  diagnoseFile(path: string): readonly Diagnostic[] {
    const { diagnosed } = this;
    if (diagnosed?.path === path && diagnosed.revision === this.revision) return diagnosed.found;
    const found = this.findIn(path);
    this.diagnosed = { path, revision: this.revision, found };
    return found;
  }

  private findIn(path: string): readonly Diagnostic[] {
    const involved = new Set([...this.involvedIn(path), ...this.tooLarge]);
    const sources = [...involved].sort().flatMap((other) => this.get(other)?.source ?? []);
    const { schemaTexts, vocabulary, onStep } = this;
    const all = findProblems({ sources, schemaTexts, vocabulary }, onStep);
    return all.filter(({ code, source }) => source?.path === path && !DEPENDS_ON_THE_SET.has(code));
  }

  private get tooLarge(): readonly string[] {
    return [...this.files.values()].flatMap(({ source }) => (isTooLarge(source) ? [source.path] : []));
  }

  /** A file, with what it imports, directly or not, and the other scopes of its policy. */
  involvedIn(path: string): readonly string[] {
    const involved = new Set([path]);
    const own = this.get(path)?.file;
    const family = own && isExecutable(own) ? familyOf(policyKeyOf(own.policy)) : undefined;
    const scopes = family === undefined ? [] : [...(this.index.families.get(family) ?? [])];
    const pending = [path, ...scopes];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      involved.add(next);
      for (const key of importsOf(this.get(next)?.file))
        for (const imported of this.index.byKey.get(key) ?? []) if (!involved.has(imported)) pending.push(imported);
    }
    return [...involved].sort();
  }

  private get index(): Index {
    this.refresh();
    return this.indexed;
  }

  private refresh(): void {
    for (const path of this.stale) this.update(path);
    this.stale.clear();
  }

  private outdate(...paths: readonly string[]): void {
    this.revision += 1;
    for (const path of paths) this.stale.add(path);
  }

  private update(path: string): void {
    if (kindOf(path) !== 'policy') return;
    const source = this.open.get(path) ?? this.onDisk.get(path);
    const { files } = this.indexed;
    const before = files.get(path);
    if (before?.source === source) return;
    if (before?.file !== undefined) this.unlist(path, before.file);
    if (source === undefined) {
      files.delete(path);
      return;
    }
    const file = isTooLarge(source) ? undefined : (parse(source, new Diagnostics()) ?? before?.file);
    files.set(path, { source, file });
    if (file !== undefined) this.list(path, file);
  }

  private list(path: string, file: PolicyFile): void {
    const key = policyKeyOf(file.policy);
    addTo(this.indexed.byKey, key, path);
    if (isExecutable(file)) addTo(this.indexed.families, familyOf(key), path);
  }

  private unlist(path: string, file: PolicyFile): void {
    const key = policyKeyOf(file.policy);
    this.indexed.byKey.get(key)?.delete(path);
    this.indexed.families.get(familyOf(key))?.delete(path);
  }
}

interface Index {
  readonly files: Map<string, Indexed>;
  /** The paths of documents, by key. */
  readonly byKey: Map<string, Set<string>>;
  /** The paths of policies with the same kind, name and version, in any scope. */
  readonly families: Map<string, Set<string>>;
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
