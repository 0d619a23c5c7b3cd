import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** A test that cannot fail but by an error of the product. */
export interface SilentTest {
  readonly line: number;
  readonly name: string;
}

/**
 * Finds the tests of a file that assert nothing: neither they nor the functions that they call, there or in other files
 * of tests, use `assert` or throw. Names count, not control flow.
 *
 * @param file relative to the root.
 */
export function silentTestsOf(root: string, file: string): readonly SilentTest[] {
  const { source, declarations } = moduleOf(root, file);
  const found: SilentTest[] = [];
  const visit = (node: ts.Node): void => {
    if (isTest(node)) {
      const [name, body] = node.arguments as unknown as readonly [ts.Expression, ts.Expression];
      if (!asserts(root, file, body, new Set(declarations.get('test') ?? []))) {
        found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, name: name.getText() });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

interface Module {
  readonly source: ts.SourceFile;
  /** The declarations and imports of a name, at any level. */
  readonly declarations: ReadonlyMap<string, readonly ts.Node[]>;
}

const modules = new Map<string, Module>();

function moduleOf(root: string, file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    const name = isNamed(node) ? node.name?.getText() : undefined;
    if (name !== undefined) declarations.set(name, [...(declarations.get(name) ?? []), node]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const found = { source, declarations };
  modules.set(file, found);
  return found;
}

function isNamed(node: ts.Node): node is ts.NamedDeclaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isImportSpecifier(node)
  );
}

/** `test(name, body)`, with a body written there. */
function isTest(node: ts.Node): node is ts.CallExpression {
  if (
    !ts.isCallExpression(node) ||
    !ts.isIdentifier(node.expression) ||
    node.expression.text !== 'test' ||
    node.arguments.length !== 2
  )
    return false;
  const body = node.arguments[1] as ts.Node;
  return ts.isArrowFunction(body) || ts.isFunctionExpression(body);
}

function asserts(root: string, file: string, node: ts.Node, seen: Set<ts.Node>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  if (ts.isThrowStatement(node) || (ts.isIdentifier(node) && node.text === 'assert')) return true;
  if (ts.isIdentifier(node)) {
    return (moduleOf(root, file).declarations.get(node.text) ?? []).some((declared) => {
      if (!ts.isImportSpecifier(declared)) return asserts(root, file, declared, seen);
      const from = helperOf(root, file, declared);
      const name = (declared.propertyName ?? declared.name).text;
      return (
        from !== undefined &&
        (moduleOf(root, from).declarations.get(name) ?? []).some((there) => asserts(root, from, there, seen))
      );
    });
  }
  return ts.forEachChild(node, (child) => asserts(root, file, child, seen) || undefined) ?? false;
}

/** The file of an import, when it is one of tests. */
function helperOf(root: string, file: string, imported: ts.ImportSpecifier): string | undefined {
  const { text } = imported.parent.parent.parent.moduleSpecifier as ts.StringLiteral;
  const path = posix.join(posix.dirname(file), text.replace(/\.js$/, '.ts'));
  return text.startsWith('.') && path.startsWith('tests/') && existsSync(join(root, path)) ? path : undefined;
}
