import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FIRST_LINE } from '../../../compiler/bundle/declarations.js';
import type { Bundle } from '../../../compiler/bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { EmittedFile } from '../../../compiler/ir/emitted-file.js';
import { isReadFromPolicies } from '../../../compiler/load/index.js';
import { folderChanges, IN_THE_WAY, type Obstacle, obstacleText, removeStale, standingAt } from './output-folder.js';
import { loadOnce } from './load-once.js';
import { type OutputFile, replaceFiles } from './replace-files.js';

/** The paths that a compilation reads and writes. */
export interface OutputPaths {
  /** The folder of the policies. */
  readonly policies: string;
  /** The folder of the generated modules. */
  readonly out: string;
  /** The file of the bundle; its source map and its declarations are beside it. Undefined: none is written. */
  readonly bundle: string | undefined;
}

/** What a compilation writes. */
export interface Outputs {
  /** The generated modules. */
  readonly modules: readonly EmittedFile[];
  /** Undefined if the bundle is up to date. */
  readonly bundling: Promise<Bundle> | undefined;
  /** The text of the declaration file of the bundle. */
  readonly declarations: string;
}

/**
 * Writes the generated modules and the bundle, and deletes modules that are no longer generated. Writes nothing if a
 * file of others is in the way, if a file cannot be written or if the bundle cannot be loaded. Returns the number of
 * files written.
 *
 * @throws Error that names what is in the way, and the way out.
 */
export async function writeOutputs(paths: OutputPaths, { modules, bundling, declarations }: Outputs): Promise<number> {
  // If another step fails first, a later failure of the bundle must not become an unhandled rejection.
  bundling?.catch(() => undefined);
  requireApart(paths, modules);
  const { due, stale, obstacles } = folderChanges(paths.out, modules);
  refuseObstacles(
    obstacles,
    `remove or move them, or use a separate folder for the modules: --out DIR (now \`${visible(paths.out)}\`)`,
  );
  const written = [
    ...due,
    ...(paths.bundle === undefined ? [] : await filesOfBundle(paths.bundle, await bundling, declarations)),
  ];
  replaceFiles(written);
  removeStale(stale);
  return written.length;
}

/** The files of a bundle that are due, once it was loaded; without it, its declarations. */
async function filesOfBundle(
  path: string,
  bundle: Bundle | undefined,
  declarations: string,
): Promise<Parameters<typeof replaceFiles>[0]> {
  refuseObstacles(
    await bundleObstacles(path),
    `remove or move them, or give the bundle another name: --bundle FILE (now \`${visible(path)}\`)`,
  );
  if (bundle !== undefined) await loadOnce(bundle.js, path);
  return [...declarationFile(path, declarations), ...(bundle === undefined ? [] : bundleFiles(path, bundle))];
}

function refuseObstacles(obstacles: readonly Obstacle[], wayOut: string): void {
  if (obstacles.length > 0) throw new Error(obstacleText(obstacles, wayOut));
}

/** The bundle must not be one of the modules, and what is written must not be read as a policy the next time. */
function requireApart({ policies, out, bundle }: OutputPaths, files: readonly EmittedFile[]): void {
  const root = realpathSync(policies);
  const folder = realLocation(out);
  const modules = files.map(({ path }) => join(folder, path));
  const bundled = bundle === undefined ? [] : [bundle, `${bundle}.map`, nameDeclarations(bundle) ?? bundle];
  for (const file of bundled) {
    const location = realLocation(file);
    if (modules.includes(location) || location === folder)
      throw new Error(
        `--bundle ${quoted(bundled[0] ?? file)} would overwrite a file of --out ${quoted(out)}: give the bundle another name`,
      );
    if (isReadIn(root, location))
      throw new Error(
        `--bundle ${quoted(bundled[0] ?? file)} would be read as a policy: it is in ${quoted(policies)}; write it to another folder`,
      );
  }
  if (modules.some((location) => isReadIn(root, location))) {
    throw new Error(
      `--out ${quoted(out)} is in the folder of the policies, ${quoted(policies)}, ${MANIFEST_IS_READ}: write it elsewhere`,
    );
  }
}

const MANIFEST_IS_READ = 'where its `manifest.json` would be read as a policy';

function quoted(path: string): string {
  return `\`${visible(path)}\``;
}

/** Whether a file would be loaded from a folder of policies. */
function isReadIn(root: string, location: string): boolean {
  const path = relative(root, location);
  return (
    path !== '' &&
    path !== '..' &&
    !path.startsWith(`..${sep}`) &&
    resolve(root, path) === location &&
    isReadFromPolicies(path.replaceAll(sep, '/'))
  );
}

/** The real path of a file that need not exist. */
export function realLocation(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realLocation(parent), basename(absolute));
  }
}

/** The files of a bundle: its map first, for a server that follows the bundle reads both when the bundle changes. */
export function bundleFiles(path: string, { parts, map }: Bundle): readonly OutputFile<readonly string[]>[] {
  return [
    { path: `${path}.map`, text: [map], durable: true },
    { path, text: [...parts, `//# sourceMappingURL=${encodeURIComponent(basename(path))}.map\n`], durable: true },
  ];
}

/** Where TypeScript looks for the declarations of a module; undefined for a file that is not named as a module. */
function nameDeclarations(path: string): string | undefined {
  const [ending, kind = ''] = /\.([mc]?)js$/.exec(path) ?? [];
  return ending === undefined ? undefined : `${path.slice(0, -ending.length)}.d.${kind}ts`;
}

/** The declaration file of a bundle, unless it is there already. */
function declarationFile(bundle: string, text: string): readonly OutputFile[] {
  const path = nameDeclarations(bundle);
  if (path === undefined || (existsSync(path) && readFileSync(path, 'utf8') === text)) return [];
  return [{ path, text, durable: true }];
}

/** Existing files at the paths of the bundle, its map and its declarations that are something else. */
async function bundleObstacles(path: string): Promise<readonly Obstacle[]> {
  const declarations = nameDeclarations(path);
  return [
    ...(declarations === undefined
      ? []
      : await obstacleAt(declarations, DECLARATIONS, 'is not the declaration file of a bundle')),
    ...(await obstacleAt(path, BUNDLE_END, 'is not a bundle of policies')),
    ...(await obstacleAt(`${path}.map`, SOURCE_MAP, 'is not a source map')),
  ];
}

/** A bundle ends with the export of `policies`; the tools that may have minified it since keep that. */
const BUNDLE_END = /\bexport\s*\{[^{}]*\bpolicies\b[^{}]*\};?\s*(?:\/\/# sourceMappingURL=\S*\s*)?$/;

/** Its first property or its last: the properties between them are long. */
const SOURCE_MAP = /^\{\s*"version":\s*3\b|"version":\s*3\s*\}\s*$/;

const DECLARATIONS = new RegExp(`^${FIRST_LINE}\n`);

/** How much of the beginning and the end of a file is read. */
const PART = 4096;

async function obstacleAt(path: string, own: RegExp, reason: string): Promise<readonly Obstacle[]> {
  const standing = standingAt(path);
  if (standing === 'nothing') return [];
  if (standing !== 'file') return [{ path, reason: IN_THE_WAY[standing] }];
  const { start, end } = await readEnds(path);
  return start === '' || own.test(start) || own.test(end) ? [] : [{ path, reason }];
}

async function readEnds(path: string): Promise<{ readonly start: string; readonly end: string }> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const part = async (from: number): Promise<string> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PART), 0, PART, from);
      return buffer.toString('utf8', 0, bytesRead);
    };
    return { start: await part(0), end: await part(Math.max(0, size - PART)) };
  } finally {
    await handle.close();
  }
}
