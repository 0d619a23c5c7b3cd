import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { Node, Project, type SourceFile } from 'ts-morph';

/*
 * `node --import tsx scripts/move.ts FILE`: moves files and folders, and changes what names them: imports, URLs of modules,
 * and paths in texts. Each line of the file has an old and a new path; the first line that fits decides.
 */

/** Texts that tell what was, or that are made from others. */
const LEFT_ALONE = [/^CHANGELOG\.md$/, /^package-lock\.json$/, /^proto\/gen\//, /^docs\/(api|diagnostics)\//];

const CODE = /\.[cm]?tsx?$/;
const TEXT = /\.([cm]?[jt]sx?|json|md|ya?ml|sh|toml|html|css|txt)$|^[^.]+$|^\.(ci|github)\//;

const moves = readFileSync(process.argv[2] ?? fail('name a file of moves'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => line.split(/\s+/) as [from: string, to: string]);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');
/** The files, and the folders above them. */
const paths = new Set(files.flatMap((file) => [file, ...foldersAbove(file)]));
/** A path as a text has it: `./packages/cli/authzc.ts`, `../cli/`; not the end of a longer one. */
const top = [...new Set(files.map((file) => file.split('/')[0] as string))].filter((name) => !name.startsWith('.'));
const PATH = new RegExp(
  `(?<![\\w./@#~-])((?:\\.{1,2}/)*)((?:${top.map((name) => name.replaceAll('.', '\\.')).join('|')})/(?:[\\w.-]+/?)*)`,
  'g',
);
const RELATIVE = /(?<=[('"`])((?:\.\.\/)+[\w-][\w./-]*)(?=[)'"`#])/g;

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
for (const file of files) {
  if (!TEXT.test(file) || LEFT_ALONE.some((pattern) => pattern.test(file))) continue;
  const before = readFileSync(file, 'utf8');
  const after = renamePaths(file, CODE.test(file) ? renameModules(file, before) : before);
  if (after !== before) writeFileSync(file, after);
}
for (const file of files) {
  const target = moved(file);
  if (target === file) continue;
  mkdirSync(dirname(target), { recursive: true });
  execFileSync('git', ['mv', '-k', file, target]);
}

/** The new path of a file or folder. */
function moved(path: string): string {
  const move = moves.find(([from]) => path === from || path.startsWith(`${from}/`));
  return move === undefined ? path : `${move[1]}${path.slice(move[0].length)}`;
}

/** The text of a module in which the modules that it names are where they go. */
function renameModules(file: string, text: string): string {
  const source = project.createSourceFile(`/${file}`, text, { overwrite: true });
  let result = text;
  for (const { start, end, specifier } of moduleNames(source).sort((one, other) => other.start - one.start)) {
    const target = fileOf(posix.join(posix.dirname(file), specifier));
    if (target === undefined) continue;
    const ending = specifier.slice(specifier.lastIndexOf('.'));
    const slash = specifier.endsWith('/') ? '/' : '';
    const path = posix.relative(posix.dirname(moved(file)), moved(target)).replace(/\.[cm]?tsx?$/, ending) + slash;
    result = result.slice(0, start) + (path.startsWith('.') ? path : `./${path}`) + result.slice(end);
  }
  project.removeSourceFile(source);
  return result;
}

/** The relative names of modules in imports, exports, types and `new URL`. */
function moduleNames(source: SourceFile): { start: number; end: number; specifier: string }[] {
  const found: { start: number; end: number; specifier: string }[] = [];
  source.forEachDescendant((node) => {
    if (!Node.isStringLiteral(node) && !Node.isNoSubstitutionTemplateLiteral(node)) return;
    const specifier = node.getLiteralValue();
    if (!/^\.{1,2}\//.test(specifier)) return;
    const parent = node.getParent();
    const isName =
      Node.isImportDeclaration(parent) ||
      Node.isExportDeclaration(parent) ||
      (Node.isLiteralTypeNode(parent) && Node.isImportTypeNode(parent.getParent())) ||
      (Node.isCallExpression(parent) && parent.getExpression().getText() === 'import') ||
      (Node.isNewExpression(parent) && parent.getExpression().getText() === 'URL');
    if (isName) found.push({ start: node.getStart() + 1, end: node.getEnd() - 1, specifier });
  });
  return found;
}

/** The source of a module, or the file or folder of that name. */
function fileOf(path: string): string | undefined {
  const name = path.replace(/\/$/, '');
  const candidates = [name, name.replace(/\.(m?)js$/, '.$1ts'), name.replace(/\.js$/, '.tsx')];
  return candidates.find((candidate) => paths.has(candidate));
}

/** The text of a file in which the paths from the top folder, and those from its own folder, are the new ones. */
function renamePaths(file: string, text: string): string {
  return text
    .replace(PATH, (whole, up: string, path: string) => {
      if (up.includes('..')) return whole;
      const end = /[./]*$/.exec(path)?.[0] ?? '';
      const target = fileOf(path.slice(0, path.length - end.length));
      if (target === undefined) return whole;
      const ending = /\.[cm]?js$/.exec(path)?.[0];
      const result = ending === undefined ? moved(target) : moved(target).replace(/\.[cm]?tsx?$/, ending);
      return `${up}${result}${end}`;
    })
    .replace(RELATIVE, (whole) => {
      const target = fileOf(posix.join(posix.dirname(file), whole));
      if (target === undefined || (moved(target) === target && moved(file) === file)) return whole;
      if (CODE.test(file) && !/\.(json|md|ya?ml|html|css)$/.test(whole)) return whole;
      return posix.relative(posix.dirname(moved(file)), moved(target)) + (whole.endsWith('/') ? '/' : '');
    });
}

function foldersAbove(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function fail(reason: string): never {
  throw new Error(reason);
}
