import type { Addresses } from './addresses.js';
import { type PackageDefinition, shippedPath } from './packages.js';

/** The package.json of this repository, as far as manifests of packages are made from it. */
export interface RepositoryManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly dependencies: { readonly [name: string]: string };
}

/** The package.json of a package as it is published. */
export function manifestOf(
  definition: PackageDefinition,
  repository: RepositoryManifest,
  addresses: Addresses | undefined,
): object {
  const {
    name,
    description,
    bin,
    entries = {},
    facades = {},
    files,
    dependencies,
    optionalPeers,
    keywords,
    directory,
  } = definition;
  const { version, license, engines } = repository;
  const modules = Object.entries(entries).map(([entry, source]) => [entry, moduleOf(source)]);
  const facadeModules = Object.keys(facades).map((entry) => [entry, `${entry.slice(2)}.js`]);
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...(addresses && {
      homepage: addresses.homepage,
      repository: { type: 'git', url: addresses.repository, directory },
      bugs: { url: addresses.bugs },
    }),
    type: 'module',
    sideEffects: false,
    engines,
    ...(bin && {
      bin: Object.fromEntries(Object.entries(bin).map(([command, program]) => [command, `dist/${program}.js`])),
    }),
    exports: {
      ...Object.fromEntries(
        [...modules, ...facadeModules].map(([entry, path = '']) => [
          entry,
          { types: `./dist/${path.replace(/\.js$/, '.d.ts')}`, default: `./dist/${path}` },
        ]),
      ),
      './package.json': './package.json',
    },
    // Projects with `moduleResolution: node`, which does not know `exports`, find the declarations by it.
    ...([...modules, ...facadeModules].length > 0 && {
      typesVersions: {
        '*': Object.fromEntries(
          [...modules, ...facadeModules].map(([entry = '', path = '']) => [
            entry.replace('./', ''),
            [`./dist/${path.replace(/\.js$/, '.d.ts')}`],
          ]),
        ),
      },
    }),
    files: ['dist', ...files.map(shippedPath)],
    dependencies: Object.fromEntries(
      dependencies.map((dependency) => [dependency, repository.dependencies[dependency]]),
    ),
    peerDependenciesMeta: Object.fromEntries(Object.keys(optionalPeers).map((peer) => [peer, { optional: true }])),
  };
}

/** The path of the module that a source is compiled to. */
function moduleOf(source: string): string {
  return source.replace(/\.ts$/, '.js');
}
