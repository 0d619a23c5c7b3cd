import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Node as AnyNode, Signature, SourceFile, Type } from 'ts-morph';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { loadMorph, Node, Project, ts } from './ts-morph.js';

/** The TypeScript of an application: its own files, without tests and declarations. */
export interface Application {
  readonly folder: string;
  readonly files: readonly SourceFile[];
  /** Imports of frameworks and of authz without types: nothing is known about calls of what they import. */
  readonly untyped: readonly AnyNode[];
}

const TESTS = /\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)__tests__\//;
const FRAMEWORKS = new Set(['express', 'fastify', 'hono', '@nestjs/common', 'react']);

/** Reads the application of a folder: the files of its `tsconfig.json`, or all TypeScript and JavaScript below it. */
export async function readApplication(directory: string): Promise<Application> {
  const folder = resolve(directory);
  if (!existsSync(folder)) throw new Error(`${directory}: no such folder`);
  await loadMorph(folder);
  const config = join(folder, 'tsconfig.json');
  const project = new Project(
    existsSync(config)
      ? { tsConfigFilePath: config }
      : {
          compilerOptions: {
            allowJs: true,
            target: ts.ScriptTarget.ESNext,
            module: ts.ModuleKind.Preserve,
            moduleResolution: ts.ModuleResolutionKind.Bundler,
            jsx: ts.JsxEmit.Preserve,
            strict: true,
            experimentalDecorators: true,
          },
        },
  );
  if (existsSync(config)) for (const { path } of references(config)) project.addSourceFilesFromTsConfig(path);
  else
    project.addSourceFilesAtPaths([`${folder}/**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}`, `!${folder}/**/node_modules/**`]);
  const files = project
    .getSourceFiles()
    .filter((file) => isOwn(file, folder) && !TESTS.test(file.getFilePath().slice(folder.length)))
    .sort((one, other) => (one.getFilePath() < other.getFilePath() ? -1 : 1));
  if (files.length === 0) throw new Error(`${directory} has no TypeScript: name the folder of an application`);
  return { folder, files, untyped: files.flatMap(untypedImports) };
}

/** The configurations that a `tsconfig.json` refers to, as in monorepos and templates of Vite. */
function references(config: string): readonly { readonly path: string }[] {
  const { references: listed = [] } = (ts.readConfigFile(config, (path) => readFileSync(path, 'utf8')).config ??
    {}) as {
    readonly references?: readonly { readonly path: string }[];
  };
  return listed
    .map(({ path }) => resolve(dirname(config), path))
    .map((path) => ({ path: path.endsWith('.json') ? path : join(path, 'tsconfig.json') }))
    .filter(({ path }) => existsSync(path));
}

function isOwn(file: SourceFile, folder: string): boolean {
  return (
    !file.isDeclarationFile() &&
    file.getFilePath().startsWith(`${folder.split(sep).join('/')}/`) &&
    !file.isInNodeModules()
  );
}

function untypedImports(file: SourceFile): readonly AnyNode[] {
  return file.getImportDeclarations().flatMap((declaration) => {
    const name = declaration.getModuleSpecifierValue();
    const isKnown =
      FRAMEWORKS.has(name) || name === PACKAGE_NAMES.library || name.startsWith(`${PACKAGE_NAMES.library}/`);
    if (!isKnown || declaration.isTypeOnly()) return [];
    const found = declaration.getModuleSpecifierSourceFile();
    return found === undefined || /\.[cm]?js$/.test(found.getFilePath()) ? [declaration.getModuleSpecifier()] : [];
  });
}

/** Where a call's function is declared: its package, the interface or type, and its own name. */
export interface Callee {
  readonly package: string;
  /** `Engine`, `ExpressGuard`; empty for a function that is declared alone. */
  readonly owner: string;
  /** `isAllowed`; empty for a type that is called itself. */
  readonly name: string;
}

/** The declaration of what an expression calls; undefined if it has no type that can be called. */
export function findCallee(expression: AnyNode): Callee | undefined {
  const declaration = firstSignature(expression.getType())?.getDeclaration() as AnyNode | undefined;
  if (declaration === undefined) return undefined;
  const owner = declaration.getFirstAncestor(
    (node) => Node.isInterfaceDeclaration(node) || Node.isTypeAliasDeclaration(node) || Node.isClassDeclaration(node),
  );
  const named = Node.isMethodSignature(declaration) || Node.isMethodDeclaration(declaration);
  const ownName =
    owner !== undefined && 'getName' in owner ? String((owner as { getName(): unknown }).getName() ?? '') : '';
  return {
    package: findPackage(declaration.getSourceFile().getFilePath()),
    // Declarations in one file have a suffix where two have one name.
    owner: ownName.replace(/\$\d+$/, ''),
    name: named ? declaration.getName() : '',
  };
}

function firstSignature(type: Type): Signature | undefined {
  return type.getNonNullableType().getCallSignatures()[0];
}

const packages = new Map<string, string>();

/**
 * The name of the package that a file belongs to; types of a package from DefinitelyTyped have its name. The packages
 * that the library is made of, which only its repository has apart, count as the library.
 */
function findPackage(path: string): string {
  const folder = dirname(path);
  const known = packages.get(folder);
  if (known !== undefined) return known;
  const manifest = join(folder, 'package.json');
  const { name } = (existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {}) as {
    readonly name?: string;
  };
  const result =
    name?.replace(/^@types\//, '').replace(/^@authz\/.*/, PACKAGE_NAMES.library) ??
    (folder === dirname(folder) ? '' : findPackage(folder));
  packages.set(folder, result);
  return result;
}
