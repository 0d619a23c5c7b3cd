import { posix } from 'node:path';
import { isSkippedDirectory, isSuiteFile, SCHEMAS_DIRECTORY } from '../../../compiler/load/index.js';
import { type ComposeService, composeServices, isComposeFile } from './compose.js';
import { findConfigs, type PlannedConfig } from './config-files.js';
import { findMentions } from './mentions.js';
import { isBelow, isReadAsPolicy, policyFolders } from './policy-folders.js';
import { type Migrated, migratePolicies, migrateSchema, migrateTests, readPolicies } from './policy-text.js';
import type { Finding, WriteStep } from './steps.js';
import type { Tree } from './tree.js';
import { parseYaml } from './yaml-edits.js';

/** Files that the caller names. */
export interface PlanOptions {
  /** The configuration of the server; by default, configurations are found by their content. */
  readonly config?: string | undefined;
  /** The compose file; by default, compose files are found by their name. */
  readonly compose?: string | undefined;
}

/** What a migration does: a function of the files of a repository alone. */
export interface Plan {
  readonly writes: readonly WriteStep[];
  readonly findings: readonly Finding[];
  /** The folders to compile. */
  readonly folders: readonly PolicyFolder[];
  /** Folders of tests that are not in a folder of policies. */
  readonly testFolders: readonly string[];
  readonly configs: readonly PlannedConfig[];
  readonly services: readonly ComposeService[];
}

export interface PolicyFolder {
  readonly path: string;
  readonly policies: number;
  readonly schemas: number;
  readonly suites: number;
}

/** Plans the migration of a repository. */
export function planMigration(tree: Tree, options: PlanOptions = {}): Plan {
  const policies = new Map(
    [...tree].flatMap(([path, text]) => {
      const read = readPolicies(path, text);
      return read === undefined ? [] : [[path, read] as const];
    }),
  );
  const folders = policyFolders([...tree.keys()], new Set(policies.keys()));
  const { configs, findings } = findConfigs(tree, options.config, (path) => policies.has(path));
  const writes: WriteStep[] = [];
  const add = (path: string, migrated: Migrated | undefined): void => {
    const step = migrated && writeStep(path, migrated, tree);
    if (step !== undefined) writes.push(step);
  };
  for (const [path, yaml] of policies) add(path, migratePolicies(path, yaml));
  for (const [path, text] of tree) {
    const parents = path.split('/').slice(0, -1);
    if (parents.includes(SCHEMAS_DIRECTORY)) add(path, migrateSchema(text));
    else if (isSuiteFile(posix.basename(path)) || parents.some(isSkippedDirectory)) add(path, migrateTests(path, text));
  }
  for (const { path, target, text, notes } of configs)
    if (text !== tree.get(path) || target !== path)
      writes.push({
        kind: 'write',
        path,
        files: [{ path: target, text }],
        changes: notes.length === 0 ? ['name'] : ['keys'],
      });

  const services = [...tree]
    .filter(([path]) => (options.compose === undefined ? isComposeFile(path) : path === options.compose))
    .flatMap(([path, text]) => composeServices(path, text));
  const isMigrated = (path: string): boolean =>
    policies.has(path) || configs.some((config) => config.path === path) || writes.some((step) => step.path === path);
  return {
    writes,
    findings: [
      ...findings,
      ...findStrayFiles(tree, folders, policies),
      ...services.flatMap(({ findings }) => findings),
      ...findMentions(tree, isMigrated),
    ],
    folders: folders.map((path) => countedFolder(path, tree, policies)),
    testFolders: listTestFolders(tree, folders),
    configs,
    services,
  };
}

/** The files of a repository after a migration. */
export function migratedTree(tree: Tree, { writes }: Pick<Plan, 'writes'>): Tree {
  const files = new Map(tree);
  for (const { path } of writes) files.delete(path);
  for (const { files: written } of writes) for (const { path, text } of written) files.set(path, text);
  return files;
}

function writeStep(path: string, { texts, changes }: Migrated, tree: Tree): WriteStep | undefined {
  if (changes.length === 0) return undefined;
  const files = texts.map((text, index) => ({ path: index === 0 ? path : freePath(path, index + 1, tree), text }));
  return { kind: 'write', path, files, changes };
}

/** `album-2.yaml` for the second document of `album.yaml`. */
function freePath(path: string, number: number, tree: Tree): string {
  const { dir, name, ext } = posix.parse(path);
  for (let suffix = `${number}`; ; suffix = `${suffix}-${number}`) {
    const free = posix.join(dir, `${name}-${suffix}${ext}`);
    if (!tree.has(free)) return free;
  }
}

/** Finds files in folders of policies that would be read as policies although they are not. */
function findStrayFiles(
  tree: Tree,
  folders: readonly string[],
  policies: ReadonlyMap<string, unknown>,
): readonly Finding[] {
  return [...tree.keys()]
    .filter((path) => folders.some((folder) => isBelow(path, folder)) && !policies.has(path))
    .filter((path) => isReadAsPolicy(path) && !path.split('/').includes(SCHEMAS_DIRECTORY))
    .map((path) => ({
      kind: 'finding',
      topic: 'policies',
      path,
      line: 1,
      what: posix.basename(path),
      advice: 'every YAML and JSON file in a policy folder must be a policy: move this file elsewhere, or correct it',
      isOpen: true,
    }));
}

function countedFolder(path: string, tree: Tree, policies: ReadonlyMap<string, unknown>): PolicyFolder {
  const below = [...tree.keys()].filter((file) => isBelow(file, path));
  return {
    path,
    policies: below.filter((file) => policies.has(file)).length,
    schemas: below.filter((file) => file.split('/').includes(SCHEMAS_DIRECTORY)).length,
    suites: below.filter((file) => isSuiteFile(posix.basename(file))).length,
  };
}

function listTestFolders(tree: Tree, folders: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const [path, text] of tree) {
    if (!isSuiteFile(posix.basename(path)) || folders.some((folder) => isBelow(path, folder))) continue;
    if (isPolicySuite(text)) found.add(posix.dirname(path));
  }
  return [...found].filter((folder) => ![...found].some((other) => other !== folder && isBelow(folder, other))).sort();
}

/** Whether a test suite is one of policies: other programs have files of such names, too. */
function isPolicySuite(text: string): boolean {
  if (!/\btests\b/.test(text) || !/\bEFFECT_(?:ALLOW|DENY)\b|\binput\b/.test(text)) return false;
  return (
    parseYaml(text)?.documents.some(({ contents }) =>
      Array.isArray((contents?.toJSON() as { tests?: unknown } | null)?.tests),
    ) === true
  );
}
