import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { buildPrograms } from '../build-programs.js';
import type { Addresses } from './addresses.js';
import { manifestOf, type RepositoryManifest } from './manifest.js';
import { writeModules } from './modules.js';
import { PACKAGES, type PackageDefinition, shippedPath, sourcesOf } from './packages.js';

/**
 * Writes a package as it is published into a folder.
 * @param compiled the folder with the modules of all packages, absolute, which `compileModules` has written.
 * @param addresses the public addresses of the project, which the manifest names; undefined for none.
 */
export async function stagePackage(
  definition: PackageDefinition,
  compiled: string,
  folder: string,
  addresses: Addresses | undefined,
): Promise<void> {
  const { facades = {}, programs, threads = {}, files } = definition;
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const path of ['LICENSE', ...files])
    cpSync(path, join(folder, shippedPath(path)), { recursive: true, filter: isShipped });
  writeFileSync(join(folder, 'README.md'), readmeOf(definition));
  const sources = sourcesOf(definition);
  const imported = [
    ...(sources.length === 0 ? [] : await writeModules(sources, compiled, dist)),
    ...(programs === undefined ? [] : await buildPrograms(programs, dist, { threads, sourcemap: false })),
  ];
  requireDeclared(definition, imported);
  for (const [entry, target] of Object.entries(facades))
    for (const ending of ['js', 'd.ts'])
      writeFileSync(join(dist, `${entry}.${ending}`), `export * from '${target}';\n`);
  const repository = JSON.parse(readFileSync('package.json', 'utf8')) as RepositoryManifest;
  const manifest = manifestOf(definition, repository, addresses);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** The tests in templates are for projects; other tests, and what a folder says of itself, stay here. */
function isShipped(path: string): boolean {
  return (
    path.startsWith('examples/templates') ||
    !/\.test\.ts$|^(runtime|packages\/[^/]+)\/(package\.json|README\.md)$/.test(path)
  );
}

/** Throws if a package imports what its definition does not name, or names what it does not import. */
function requireDeclared(definition: PackageDefinition, imported: readonly string[]): void {
  const { name, dependencies, optionalPeers } = definition;
  // A module of a later Node, which a dependency loads if it is there, is not a package either.
  const isPlatform = (specifier: string): boolean => specifier.startsWith('node:') || isBuiltin(specifier);
  const found = new Set(imported.filter((specifier) => !isPlatform(specifier)).map(packageOf));
  for (const other of found)
    if (!dependencies.includes(other) && !Object.hasOwn(optionalPeers, other))
      throw new Error(`${name} imports ${other}, which its definition does not name`);
  for (const dependency of dependencies)
    if (!found.has(dependency)) throw new Error(`${name} does not import its dependency ${dependency}`);
}

/** `re2js`, or `@grpc/grpc-js`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The page of the package on a registry: how to begin, then what it works with and the packages beside it. */
function readmeOf({ name, optionalPeers }: PackageDefinition): string {
  const peers = Object.entries(optionalPeers).map(
    ([peer, range]) => `| \`${peer}\` | \`${range.replaceAll('|', '\\|')}\` |`,
  );
  const others = PACKAGES.filter((other) => other.name !== name).map(
    (other) => `- \`${other.name}\`: ${other.description}.`,
  );
  return [
    // The comments tell the tests of these pages how to run them.
    readFileSync(join('scripts/packages/readme', `${name}.md`), 'utf8')
      .replace(/^<!-- .* -->\n+/gm, '')
      .trim(),
    '## Optional packages',
    'Install these for the features that need them. An error names the one that is missing.',
    ['| package | versions |', '|---|---|', ...peers].join('\n'),
    '## Related packages',
    others.join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}
