import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from '../support/compiled.js';
import { unpackInto } from '../support/packed-packages.js';
import { skip } from '../support/skip.js';

/**
 * Every entry point of the packed packages, as their manifests list them, in strict projects that also check
 * declaration files (`skipLibCheck: false`).
 */
const test = suite('declarations of entry points');

/** The packages that the types of an entry point name, besides the dependencies of its package. All others name none. */
const PEERS: { readonly [entry: string]: readonly string[] } = {
  'authz/adapters/drizzle': ['drizzle-orm'],
  'authz/adapters/knex': ['knex'],
  'authz/adapters/kysely': ['kysely'],
  'authz/adapters/mikro-orm': ['@mikro-orm/core'],
  'authz/adapters/sequelize': ['sequelize'],
  'authz/adapters/typeorm': ['typeorm'],
  'authz/analysis': ['authzc'],
  'authz/compiler': ['authzc'],
  'authz/mcp': ['authzc'],
  'authz/middleware/express': ['express'],
  'authz/middleware/fastify': ['fastify'],
  'authz/middleware/hono': ['hono'],
  'authz/middleware/nest': ['@nestjs/common'],
  'authz/middleware/trpc': ['@trpc/server'],
  'authz/react': ['react'],
  'authz/rls/drizzle': ['drizzle-orm'],
  'authz/rls/knex': ['knex'],
  'authz/rls/kysely': ['kysely'],
  'authz/rls/typeorm': ['typeorm'],
};

const RESOLUTIONS = [
  [ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  [ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
] as const;

/** Types that declaration files of peers name, or that make up for those that peers lack. */
const TYPES = ['@types/node', '@types/express', '@types/react'];

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'authz-entries-')));
const modules = join(folder, 'node_modules');
const peers = [...new Set(PACKAGES.flatMap(({ optionalPeers }) => Object.keys(optionalPeers)))].filter(
  (name) => !PACKAGES.some((own) => own.name === name),
);
const isInstalled = (name: string): boolean => existsSync(join(ROOT, 'node_modules', name));
const missing = peers.filter((name) => !isInstalled(name));
if (missing.length > 0)
  skip(import.meta.url, `types of entry points that need ${missing.join(', ')}: not installed in node_modules`);

/** The specifiers of all entry points with the paths of their declarations. */
const entries = new Map<string, string>();

test.before(() => {
  unpackInto(modules, [...peers.filter(isInstalled), ...TYPES]);
  for (const { name } of PACKAGES) {
    const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as {
      readonly exports: { readonly [entry: string]: string | { readonly types: string } };
    };
    for (const [entry, target] of Object.entries(manifest.exports))
      if (typeof target === 'object') entries.set(join(name, entry), join(modules, name, target.types));
  }
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const [module, moduleResolution] of RESOLUTIONS) {
  const name = ts.ModuleResolutionKind[moduleResolution];

  test(`a program of Node type-checks with all of them (${name})`, () => {
    const lib = ['lib.es2022.d.ts'];
    const specifiers = [...entries.keys()].filter((one) => !PEERS[one]?.some((peer) => missing.includes(peer)));
    assert.equal(problemsOf(specifiers, { module, moduleResolution, lib, types: ['node'] }), []);
  });

  test(`a program without types of Node type-checks with those that need no peer (${name})`, () => {
    const specifiers = [...entries.keys()].filter((specifier) => !Object.hasOwn(PEERS, specifier));
    const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
    assert.equal(problemsOf(specifiers, { module, moduleResolution, lib, types: [] }), []);
  });
}

test('types name no package that a user of the entry point lacks', () => {
  const named = [...entries].map(([specifier, declarations]) => {
    const { dependencies = [] } = PACKAGES.find(({ name }) => specifier.startsWith(`${name}/`)) ?? {};
    return [specifier, packagesOf(declarations).filter((name) => !dependencies.includes(name))] as const;
  });
  assert.equal(Object.fromEntries(named.filter(([, names]) => names.length > 0).sort()), PEERS);
});

test.run();

/** What is wrong in our declarations, and in a program that imports entry points. Peers answer for their own. */
function problemsOf(specifiers: readonly string[], options: ts.CompilerOptions): readonly string[] {
  const file = join(folder, 'src/program.ts');
  const lines = specifiers.map((specifier, index) => `export * as entry${index} from '${specifier}';\n`);
  writeFileSync(file, lines.join(''));
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [join(modules, '@types')],
    ...options,
  });
  const own = program.getSourceFiles().filter(({ fileName }) => isOwn(fileName));
  assert.ok(own.length > specifiers.length);
  return [
    ...program.getOptionsDiagnostics(),
    ...own.flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]),
  ].map(({ file: source, start = 0, messageText }) => {
    const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line + 1;
    return `${source?.fileName.slice(folder.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

function isOwn(path: string): boolean {
  return path.startsWith(join(folder, 'src')) || PACKAGES.some(({ name }) => path.startsWith(join(modules, name, '/')));
}

/** The packages that a declaration file and those that it imports name, sorted. */
function packagesOf(path: string, seen: Set<string> = new Set()): readonly string[] {
  const found = new Set<string>();
  const visit = (declarations: string): void => {
    if (seen.has(declarations)) return;
    seen.add(declarations);
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(declarations, 'utf8'));
    for (const { fileName } of [...importedFiles, ...typeReferenceDirectives])
      if (fileName.startsWith('.')) visit(resolve(dirname(declarations), fileName.replace(/\.js$/, '.d.ts')));
      else found.add(fileName.split('/', fileName.startsWith('@') ? 2 : 1).join('/'));
  };
  visit(path);
  return [...found].sort();
}
