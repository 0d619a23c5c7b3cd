import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Node, Project, type SourceFile, SyntaxKind } from 'ts-morph';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import { compileTexts, ROOT } from '../support/compiled.js';
import { hostilePolicies } from './hostile-policies.js';

const FOLDER = join(ROOT, 'tests', 'generated', 'emitted');
const test = suite('modules of hostile policies');

const texts = hostilePolicies();
const { files, diagnostics } = compileTexts(texts);
const modules = files.filter(({ path }) => path.endsWith('.ts'));
const project = projectOf(modules);

test('all policies compile', () => {
  assert.equal(
    diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  );
});

test('every module type-checks with the compiler options of this repository', () => {
  // The API of TypeScript 6 takes three times as long as the program of version 7.
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'emitted-'));
  try {
    for (const { path, text } of modules) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const settings = { extends: join(ROOT, 'tsconfig.json'), include: ['.'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const program = join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [program, '--singleThreaded', '--listFiles', '-p', folder], {
      encoding: 'utf8',
    });
    assert.is(stderr, '');
    const lines = stdout.split('\n');
    assert.equal(lines.filter((line) => / error TS\d+: /.test(line)).slice(0, 20), []);
    assert.is(lines.filter((line) => line.startsWith(folder)).length, modules.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('modules import only the contract, the CEL runtime, residuals and each other', () => {
  const allowed = /^(authz\/runtime\/(cel|parts|policy|residual)|\.{1,2}\/.*\.js)$/;
  const imported = sourceFiles().flatMap((file) =>
    file.getImportDeclarations().map((declaration) => declaration.getModuleSpecifierValue()),
  );
  assert.equal(
    [...new Set(imported)].filter((specifier) => !allowed.test(specifier)),
    [],
  );
  const between = sourceFiles()
    .filter((file) => !file.getBaseName().includes('index') && !isFilters(file))
    .flatMap((file) => file.getImportDeclarations().map((declaration) => declaration.getModuleSpecifierValue()))
    .filter((specifier) => specifier.startsWith('.'));
  assert.equal(
    between.filter((specifier) => !/^(\.\.\/)+derived_roles\//.test(specifier)),
    [],
  );
  const filters = sourceFiles().filter(isFilters);
  assert.ok(filters.length > 5);
  for (const file of filters)
    assert.equal(
      file
        .getImportDeclarations()
        .map((declaration) => declaration.getModuleSpecifierValue())
        .filter((specifier) => specifier.startsWith('.')),
      [`./${file.getBaseName().replace(/\.where\.ts$/, '.js')}`],
    );
});

/** Whether a module has the filters of the policy beside it. */
function isFilters(file: SourceFile): boolean {
  return file.getBaseName().endsWith('.where.ts');
}

test('identifiers are words of generated code, or consist of letters, digits and underscores', () => {
  for (const file of sourceFiles()) {
    for (const identifier of file.getDescendantsOfKind(SyntaxKind.Identifier)) {
      assert.match(identifier.getText(), /^[A-Za-z_$][A-Za-z0-9_$]*$/, file.getFilePath());
    }
    const strange =
      file
        .getFullText()
        .match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)
        ?.filter((character) => character !== '\n') ?? [];
    assert.equal(strange, [], `${file.getFilePath()} has invisible characters`);
  }
});

test('no module uses eval, Function, a prototype, or a global other than Map, Set and Uint8Array', () => {
  const globals = new Set<string>();
  for (const file of sourceFiles()) {
    for (const identifier of file.getDescendantsOfKind(SyntaxKind.Identifier)) {
      if (isProperty(identifier)) {
        const forbidden = identifier.getParent()?.isKind(SyntaxKind.PropertyAccessExpression)
          ? /^(__proto__|prototype|constructor)$/
          : /^__proto__$/;
        assert.not.match(identifier.getText(), forbidden, identifier.getParent()?.getText());
        continue;
      }
      const declared = identifier.getSymbol()?.getDeclarations() ?? [];
      if (declared.length === 0 || declared.some((node) => node.getSourceFile().isDeclarationFile()))
        globals.add(identifier.getText());
    }
  }
  assert.equal(
    [...globals].sort(),
    ['Map', 'Set', 'Uint8Array', 'undefined'].filter((name) => globals.has(name)),
  );
});

test('modules consist of declarations: only constants are evaluated on load', () => {
  for (const file of sourceFiles()) {
    for (const statement of file.getStatements()) {
      assert.ok(
        [SyntaxKind.ImportDeclaration, SyntaxKind.ExportDeclaration, SyntaxKind.VariableStatement].includes(
          statement.getKind(),
        ),
        `${file.getFilePath()}: ${statement.getText().slice(0, 80)}`,
      );
    }
  }
});

test('no comment is a directive for tools', () => {
  for (const file of sourceFiles()) {
    for (const line of file.getFullText().split('\n')) {
      assert.not.match(line, /^\s*\/\/+\s*[@#]|^\s*\/\/\//, file.getFilePath());
    }
  }
});

test('file names are valid on every file system, and unique when case is ignored', () => {
  const paths = files.map(({ path }) => path);
  assert.is(new Set(paths.map((path) => path.toLowerCase())).size, paths.length);
  for (const part of paths.flatMap((path) => path.split('/'))) {
    assert.match(part, /^[A-Za-z0-9_~-][A-Za-z0-9_.~-]{0,200}$/);
    assert.not.match(part, /^(con|aux|nul|prn|com\d|lpt\d)(\.|$)/i);
  }
});

test('equal policies compile to equal bytes, in any order', () => {
  const reversed = Object.fromEntries(Object.entries(texts).reverse());
  for (const again of [texts, reversed]) {
    const { files: others } = compileTexts(again);
    assert.equal(
      others.map(({ path }) => path),
      files.map(({ path }) => path),
    );
    for (const [index, file] of files.entries()) assert.is(others[index]?.text, file.text, file.path);
  }
});

test.run();

function sourceFiles(): readonly SourceFile[] {
  return modules.map(({ path }) => project.getSourceFileOrThrow(join(FOLDER, path)));
}

/** The emitted files in a folder that does not exist, below the repository, so that `authz/runtime` resolves. */
function projectOf(emitted: readonly EmittedFile[]): Project {
  const created = new Project({
    tsConfigFilePath: join(ROOT, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
    // Only version 7 checks types here, so the types of Node are not read.
    compilerOptions: { types: [] },
  });
  for (const { path, text } of emitted) created.createSourceFile(join(FOLDER, path), text);
  return created;
}

/** Whether an identifier is a name after a dot or in an object literal. */
function isProperty(identifier: Node): boolean {
  const parent = identifier.getParent();
  if (parent?.isKind(SyntaxKind.PropertyAccessExpression)) return parent.getNameNode() === identifier;
  return parent?.isKind(SyntaxKind.PropertyAssignment) === true || parent?.isKind(SyntaxKind.BindingElement) === true;
}
