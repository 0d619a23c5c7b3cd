import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PACKAGE_NAMES } from '../../../compiler/package-names.js';
import { version } from '../../../compiler/version.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { UsageError } from '../exit.js';
import { orNothing, statsAt } from '../outputs/replace-files.js';
import { archivesIn } from './archives.js';
import {
  combined,
  type ExtendedManifest,
  extendManifest,
  type Manifest,
  ManifestError,
  newManifest,
  ownValue,
  parseManifest,
} from './manifest.js';
import { type OwnPolicies, ownPolicies } from './own-policies.js';
import { TEMPLATES, type Template } from './template-names.js';
import { type EngineFile, projectFiles } from './templates.js';

/** What `authzc init` would do to a folder. */
export interface ProjectChanges {
  /** The files to create: text by path, relative to the project. */
  readonly created: ReadonlyMap<string, string>;
  /** The files that exist and stay as they are. */
  readonly kept: readonly string[];
  /** The package.json of an existing project; undefined if it lacks nothing, or is among the created files. */
  readonly manifest: ExtendedManifest | undefined;
  /** What the author should know besides. */
  readonly notes: readonly string[];
  /** Whether there was no project. */
  readonly isNew: boolean;
  readonly template: Template | undefined;
}

/** What is known of a folder before anything is chosen. */
export interface FoundProject {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The text of its package.json; undefined if there is none. */
  readonly manifest: string | undefined;
  readonly policies: OwnPolicies | undefined;
}

/**
 * Reads what a folder has.
 * @param policies the folder that `--policies` names.
 * @throws UsageError if that folder has no policies.
 */
export function foundProject(folder: string, policies: string | undefined): FoundProject {
  return {
    folder,
    manifest: orNothing(() => readFileSync(join(folder, MANIFEST), 'utf8')),
    policies: ownPolicies(folder, policies),
  };
}

/**
 * The changes that add authz to a folder.
 * @param template the sample application to add; undefined adds none.
 * @param archives the folder of the archives of the packages; undefined for those of the registry.
 * @throws UsageError for contradictory options and a package.json that cannot be extended.
 */
export function projectChanges(
  { folder, manifest: before, policies }: FoundProject,
  { template, archives }: { readonly template: Template | undefined; readonly archives: string | undefined },
): ProjectChanges {
  if (template !== undefined && policies !== undefined)
    throw new UsageError(
      `\`--template ${template}\` is a sample with policies of its own, but \`${visible(policies.folder)}\` has policies: leave one of them out`,
    );
  const isNew = before === undefined;
  const found = before === undefined ? {} : reporting(() => parseManifest(before));
  const engine = chooseEngineFile(folder, found, template, isNew);
  const { files, manifest } = projectFiles(
    { template, isNew, hasPolicies: policies !== undefined, engine },
    projectName(basename(folder)),
  );
  const all = new Map([...files, ...(policies?.copied ?? [])]);
  const keys = withPackages(
    withFolder(engine === 'modules' ? manifest : withBundle(manifest), policies),
    archives === undefined ? () => `^${version}` : archivesIn(archives, folder),
  );
  if (before === undefined) all.set(MANIFEST, newManifest(keys));
  const extended = before === undefined ? undefined : reporting(() => extendManifest(before, keys));
  const stands = (path: string): boolean => statsAt(join(folder, path)) !== undefined;
  return {
    created: new Map([...all].filter(([path]) => !stands(path)).sort(([a], [b]) => (a < b ? -1 : 1))),
    kept: [...all.keys()].filter(stands).sort(),
    manifest: extended,
    notes: [
      ...(isNew || found['type'] === 'module' ? [] : [NOT_A_MODULE]),
      ...olderNodeNotes(keys, process.versions.node),
    ],
    isNew,
    template,
  };
}

const MANIFEST = 'package.json';

const NOT_A_MODULE =
  'package.json does not have `"type": "module"`: authz consists of ES modules, which Node 20.19 and newer can also require';

/** Says that the project needs a newer Node than the one that runs: npm only warns, and `npm start` would fail. */
export function olderNodeNotes(manifest: Manifest, running: string): readonly string[] {
  const [, needed] = /^>=(\d+(?:\.\d+)*)$/.exec(String(ownValue(manifest['engines'], 'node'))) ?? [];
  if (needed === undefined || compareVersions(running, needed) >= 0) return [];
  return [`the project needs Node ${needed} or newer, and this is ${running}`];
}

function compareVersions(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((version) => version.split('.').map(Number));
  const at = right.findIndex((part, index) => part !== (left[index] ?? 0));
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Names the file in errors about it. */
function reporting<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ManifestError) throw new UsageError(`${MANIFEST}: ${error.message}`);
    throw error;
  }
}

function dependsOn(manifest: { readonly [key: string]: unknown }, name: string): boolean {
  return ['dependencies', 'devDependencies'].some((kind) => {
    const group = manifest[kind];
    return typeof group === 'object' && group !== null && Object.hasOwn(group, name);
  });
}

/** How the program of a project imports its policies. */
function chooseEngineFile(
  folder: string,
  manifest: { readonly [key: string]: unknown },
  template: Template | undefined,
  isNew: boolean,
): EngineFile {
  if (template === 'next' || (template === undefined && dependsOn(manifest, 'next'))) return 'bundle';
  const isJavaScript = !isNew && template === undefined && !usesTypeScript(folder, manifest);
  return isJavaScript ? 'javascript' : 'modules';
}

function usesTypeScript(folder: string, manifest: { readonly [key: string]: unknown }): boolean {
  if (['typescript', 'tsx', 'ts-node'].some((name) => dependsOn(manifest, name))) return true;
  return ['.', 'src'].some((part) =>
    (orNothing(() => readdirSync(join(folder, part))) ?? []).some((name) =>
      /^tsconfig.*\.json$|\.[cm]?tsx?$/.test(name),
    ),
  );
}

/** Scripts name the folder of the policies, unless it is the one that commands assume. */
function withFolder(manifest: Manifest, policies: OwnPolicies | undefined): Manifest {
  const scripts = manifest['scripts'];
  if (policies === undefined || typeof scripts !== 'object') return manifest;
  const word = policies.folder === 'policies' ? '' : ` ${policies.folder}`;
  const named = Object.entries(scripts).map(([name, script]) => [name, script.replace(' POLICIES', word)]);
  return { ...manifest, scripts: Object.fromEntries(named) };
}

/** Scripts write the bundle for a program that imports it; others need only the modules. */
function withBundle(manifest: Manifest): Manifest {
  const scripts = manifest['scripts'];
  if (typeof scripts !== 'object') return manifest;
  const bundling = Object.entries(scripts).map(([name, script]) => [name, script.replace(' --no-bundle', '')]);
  return { ...manifest, scripts: Object.fromEntries(bundling) };
}

/** What programs import, and the command that compiles. */
function withPackages(manifest: Manifest, versionOf: (name: string) => string): Manifest {
  const { library, compiler } = PACKAGE_NAMES;
  const packages: Manifest = {
    dependencies: { [library]: versionOf(library) },
    devDependencies: { [compiler]: versionOf(compiler) },
  };
  return combined([packages, manifest]);
}

/** A name that npm accepts. */
function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  // A project cannot depend on a package of its own name.
  const isTaken = Object.values<string>(PACKAGE_NAMES).includes(name) || Object.hasOwn(TEMPLATES, name);
  return name === '' || isTaken ? 'my-app' : name;
}
