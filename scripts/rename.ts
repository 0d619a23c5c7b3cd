import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Node, Project, type SourceFile, ts } from 'ts-morph';

/*
 * `node --import tsx scripts/rename.ts TABLE`: renames functions, methods and constants with every reference, import
 * and comment. A paragraph of the table begins with `# FILE`; each of its lines has an old and a new name, for all
 * declarations of the old one in that file. Nothing is renamed that `docs/api` lists, or to a name that a file which
 * refers to it already has; both are reported, with the lines of changed files that still have an old name, as strings do.
 */

/** A text that is replaced, by its place in a file. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Renaming {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const ROOT = resolve('.');
const API = grep('-ohE', '[A-Za-z0-9]+', 'docs/api');

const project = new Project({ tsConfigFilePath: 'tsconfig.json' });
project.addSourceFilesFromTsConfig('packages/playground/tsconfig.json');
const service = project.getLanguageService().compilerObject;
const edits = new Map<string, Edit[]>();
/** The new names that each file gets, to find two that are alike. */
const taken = new Map<string, Map<string, string>>();

for (const renaming of readTable(process.argv[2] ?? fail('name a table of renamings'))) rename(renaming);
for (const [path, own] of edits) applyEdits(path, own);
if (edits.size > 0) execFileSync('npx', ['biome', 'format', '--write', ...edits.keys()], { stdio: 'ignore' });
for (const [path, names] of taken) reportRest(path, [...names.values()]);

function readTable(path: string): readonly Renaming[] {
  let file = '';
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) file = line.slice(2).trim();
      const [from, to, ...rest] = line.trim().split(/\s+/) as [string, string];
      if (line.startsWith('#') || from === '') return [];
      if (to === undefined || rest.length > 0) throw new Error(`not an old and a new name: ${line}`);
      return [{ file, from, to }];
    });
}

function rename({ file, from, to }: Renaming): void {
  const source = project.getSourceFile(file);
  const declarations = source === undefined ? [] : findDeclarations(source, from);
  if (source === undefined || declarations.length === 0) return console.log(`${file}: does not declare ${from}`);
  if (API.has(from)) return console.log(`${file}: ${from} is a public name`);
  const locations = declarations.flatMap(
    (name) => service.findRenameLocations(source.getFilePath(), name.getStart(), false, false, {}) ?? [],
  );
  const paths = [...new Set(locations.map(({ fileName }) => fileName))];
  for (const path of paths) {
    const reason = findClash(path, from, to);
    if (reason !== undefined) return console.log(`${file}: ${from} is not renamed to ${to}: ${reason}`);
  }
  const isProperty = locations.some(({ fileName, textSpan }) =>
    Node.isPropertySignature(findNode(fileName, textSpan.start)?.getParent()),
  );
  for (const path of paths) {
    const names = taken.get(path) ?? new Map<string, string>();
    taken.set(path, names.set(to, from));
    const own = edits.get(path) ?? [];
    edits.set(path, own);
    for (const { fileName, textSpan, prefixText = '', suffixText = '' } of locations)
      if (fileName === path) {
        const isShorthand = Node.isShorthandPropertyAssignment(findNode(path, textSpan.start)?.getParent());
        // The property of a type with parameters is not found: it keeps its name.
        const property = isShorthand && !isProperty ? `${from}: ` : '';
        const text = `${property}${prefixText}${to}${suffixText}`;
        own.push({ start: textSpan.start, end: textSpan.start + textSpan.length, text });
      }
    own.push(...renameInComments(project.getSourceFileOrThrow(path), from, to));
  }
}

function findNode(path: string, position: number): Node | undefined {
  return project.getSourceFileOrThrow(path).getDescendantAtPos(position);
}

/** The names that declare a function, a method, a property or a variable. */
function findDeclarations(source: SourceFile, name: string): readonly Node[] {
  return source.getDescendantsOfKind(ts.SyntaxKind.Identifier).filter((identifier) => {
    const parent = identifier.getParent();
    const isDeclared =
      Node.isFunctionDeclaration(parent) ||
      Node.isMethodDeclaration(parent) ||
      Node.isVariableDeclaration(parent) ||
      Node.isPropertyDeclaration(parent) ||
      Node.isParameterDeclaration(parent) ||
      Node.isPropertySignature(parent) ||
      Node.isMethodSignature(parent);
    return identifier.getText() === name && isDeclared && parent.getNameNode() === identifier;
  });
}

/** Why a name cannot be used in a file. A name of another file would be hidden, or hide it. */
function findClash(path: string, from: string, to: string): string | undefined {
  const source = project.getSourceFileOrThrow(path);
  const other = taken.get(path)?.get(to);
  const place = relative(ROOT, path);
  if (other !== undefined && other !== from) return `${place} has two functions of this name: ${other}`;
  const isTaken = source
    .getDescendantsOfKind(ts.SyntaxKind.Identifier)
    .some((identifier) => identifier.getText() === to && !isMember(identifier));
  return isTaken ? `${place} has that name` : undefined;
}

/** A name after a dot or before a colon, which a function does not hide. */
function isMember(identifier: Node): boolean {
  const parent = identifier.getParent();
  return (
    (Node.isPropertyAccessExpression(parent) && parent.getNameNode() === identifier) ||
    Node.isPropertyAssignment(parent) ||
    Node.isPropertySignature(parent) ||
    Node.isMethodSignature(parent)
  );
}

function renameInComments(source: SourceFile, from: string, to: string): readonly Edit[] {
  const text = source.getFullText();
  const comments = text.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm);
  const found = new Map<number, Edit>();
  for (const { index, 0: comment } of comments)
    for (const { index: at } of comment.matchAll(new RegExp(`\\b${from}\\b`, 'g')))
      found.set(index + at, { start: index + at, end: index + at + from.length, text: to });
  return [...found.values()];
}

/** An edit may be found more than once: as a reference of two declarations, or in a string that looks like a comment. */
function applyEdits(path: string, own: readonly Edit[]): void {
  const byStart = new Map(own.toReversed().map((edit) => [edit.start, edit]));
  let text = readFileSync(path, 'utf8');
  for (const { start, end, text: replacement } of [...byStart.values()].sort((one, other) => other.start - one.start))
    text = text.slice(0, start) + replacement + text.slice(end);
  writeFileSync(path, text);
}

function reportRest(path: string, names: readonly string[]): void {
  const old = new RegExp(`\\b(${names.join('|')})\\b`);
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries())
    if (old.test(line)) console.log(`left: ${relative(ROOT, path)}:${index + 1}: ${line.trim()}`);
}

/** The lines that `git grep` finds. */
function grep(...args: readonly string[]): ReadonlySet<string> {
  try {
    return new Set(execFileSync('git', ['grep', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n'));
  } catch {
    return new Set();
  }
}

function fail(reason: string): never {
  throw new Error(reason);
}
