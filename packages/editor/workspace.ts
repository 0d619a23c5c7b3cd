import { realpathSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { load, loadSuites, type SuiteFiles, type TestFile } from '../../compiler/load/index.js';
import type { Vocabulary } from '../../compiler/validate/vocabulary.js';
import { chooseKind } from './file-kind.js';
import { DEPENDS_ON_THE_SET, findProblems, isTooLarge } from './find-problems.js';
import { type EditedPolicies, type Indexed, PolicyIndex } from './policy-index.js';

/**
 * A folder of policies as an editor has it: the texts of open documents take the place of those on disk. An edit parses
 * one file; the rest of the work depends on what it imports, not on the size of the folder.
 */
export class Workspace implements EditedPolicies {
  private readonly root: string;
  private onDisk: ReadonlyMap<string, Source> = new Map();
  private schemas: ReadonlyMap<string, string> = new Map();
  private readonly open = new Map<string, Source>();
  private readonly index = new PolicyIndex((path) => this.open.get(path) ?? this.onDisk.get(path));
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
    this.index.refresh();
  }

  /** The path of a document below the folder, with `/`; undefined if it is not a file of the folder. */
  findPath(uri: string): string | undefined {
    const file = toFilePath(uri);
    if (file === undefined) return undefined;
    for (const root of [this.folder, this.root]) {
      const path = relative(root, file).split(sep).join('/');
      if (path !== '' && !path.startsWith('../') && chooseKind(path) !== undefined) return path;
    }
    return undefined;
  }

  /** The URI of a file of the folder. */
  makeUri(path: string): string {
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
  findSource(path: string): Source | undefined {
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
    const unsaved = [...this.open.values()].filter(({ path }) => chooseKind(path) === 'suite' && !known.has(path));
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
    return this.index.withKey(key);
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
    return this.index.involvedIn(path);
  }

  private outdate(...paths: readonly string[]): void {
    this.revision += 1;
    this.index.outdate(paths);
  }
}

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
  const policies = join(root, 'policies');
  if (isDirectory(policies)) return policies;
  return isDirectory(root) && !isDirectory(join(root, 'node_modules')) ? root : undefined;
}

/** Whether a path is a folder; false if there is nothing. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Undefined for a URI that does not name a file of this machine. */
function toFilePath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
