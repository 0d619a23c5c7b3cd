import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import { combined, type Manifest } from './manifest.js';
import type { Template } from './template-names.js';

/** What a project is made of. */
export interface Parts {
  /** The sample application; undefined adds none. */
  readonly template: Template | undefined;
  /** Whether there is no project yet. */
  readonly isNew: boolean;
  /** Whether the project has policies, so that it needs no sample. */
  readonly hasPolicies: boolean;
  readonly engine: EngineFile;
}

/**
 * The template of the file with the engine: with the generated modules; with the bundle, for bundlers that do not resolve
 * the modules; or with the bundle, in JavaScript.
 */
export type EngineFile = 'modules' | 'bundle' | 'javascript';

/** The files of a new part of a project, by path, and the keys that it needs in package.json. */
export interface ProjectFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

/**
 * Reads the folders of `templates` that a project consists of. Of a file that several have, the first counts, and so for
 * the keys of package.json.
 * @param name the name of the project.
 */
export function projectFiles(parts: Parts, name: string): ProjectFiles {
  const files = new Map<string, string>();
  const manifests: Manifest[] = [];
  for (const folder of listFolders(parts)) {
    for (const [path, text] of filesIn(join(templatesFolder(), folder), name)) {
      if (path === 'package.json') manifests.push(JSON.parse(text) as Manifest);
      else if (!files.has(path)) files.set(path, text);
    }
  }
  return { files, manifest: combined(manifests) };
}

/** The folders of a project, in the order in which they take precedence. */
function listFolders({ template, isNew, hasPolicies, engine }: Parts): readonly string[] {
  return [
    ...(template === undefined ? [] : [template, 'sample']),
    ...(isNew ? ['project'] : []),
    engine,
    hasPolicies ? 'own-policies' : 'document-policies',
  ];
}

/** The name of the project in the templates. */
const NAME = 'my-app';

function filesIn(folder: string, name: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      // npm does not pack files named .gitignore, and git would apply a .gitattributes here.
      const path = file
        .slice(folder.length + 1)
        .replaceAll('\\', '/')
        .replace(/^git(ignore|attributes)$/, '.git$1');
      return [path, readFileSync(file, 'utf8').replaceAll(NAME, name)];
    });
}

function templatesFolder(): string {
  return join(dirname(runtimeFolder()), 'examples', 'templates');
}
