import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { formatted } from '../../../compiler/format/format.js';
import { linkTarget } from '../../../compiler/load/link-target.js';
import { decodePolicy, MAX_FILE_SIZE, readPolicy } from '../../../compiler/load/load.js';
import { isHidden, isSkippedDirectory, isSuiteFile, SCHEMAS_DIRECTORY } from '../../../compiler/load/names.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT } from '../exit.js';
import { DIAGNOSTIC_RULES, toFindings } from '../findings/diagnostics.js';
import type { Finding, FindingRule } from '../findings/finding.js';
import { type LogFormat, type OnFindings, printLog } from '../findings/log.js';
import { keepLineEnds } from '../../../compiler/format/line-ends.js';
import { type OutputFile, replaceFiles } from '../outputs/replace-files.js';
import { InputError, MissingError, printDiagnostics, reportInputError } from '../report.js';
import { counted } from './compile.js';

/** The command line options of `authzc fmt`. */
export interface FmtOptions {
  /** Whether nothing is written, and a file that is not formatted is a failure. */
  readonly check?: boolean;
  readonly output?: 'list' | LogFormat;
  /** Takes the findings of a log in place of standard output. */
  readonly onFindings?: OnFindings | undefined;
}

/**
 * `authzc fmt`: writes policies, tests and fixtures in one style, and prints the paths of those that were not in it.
 * Files that are not well-formed are reported and stay as they are. Returns the exit code.
 * @param paths files and folders. `-` reads one file from standard input, and prints it.
 */
export function fmtCommand(
  paths: readonly string[],
  { check = false, output = 'list', onFindings }: FmtOptions,
  context: CommandContext,
): number {
  try {
    return paths.length === 1 && paths[0] === '-'
      ? formatInput(context)
      : formatFiles(paths, { check, output, onFindings }, context);
  } catch (error) {
    return reportInputError(error, context);
  }
}

function formatInput(context: CommandContext): number {
  const report = new Diagnostics();
  const name = 'stdin';
  const text = formattedText(name, decodePolicy(context.readInput(), name, report), report);
  printDiagnostics(report.sorted(), 'pretty', { folder: '' }, context);
  if (text === undefined) return EXIT.refused;
  context.stdout.write(text.after);
  return EXIT.done;
}

function formatFiles(
  paths: readonly string[],
  { check, output, onFindings }: FmtOptions & Required<Pick<FmtOptions, 'check' | 'output'>>,
  context: CommandContext,
): number {
  const { stdout } = context;
  const due: OutputFile[] = [];
  const findings: Finding[] = [];
  let isRefused = false;
  for (const file of paths.flatMap(filesAt)) {
    const report = new Diagnostics();
    const text = formattedFile(file, report);
    if (output === 'list') printDiagnostics(report.sorted(), 'pretty', { folder: file.folder }, context);
    findings.push(...toFindings(report.sorted(), file.folder));
    if (text === undefined) isRefused = true;
    else if (text.after !== text.before) due.push({ path: join(file.folder, file.name), text: text.after });
  }
  if (!check) replaceFiles(due);
  if (output === 'list') for (const { path } of due) stdout.write(`${visible(path)}\n`);
  else {
    const rules = [UNFORMATTED, ...DIAGNOSTIC_RULES];
    printLog(output, [...findings, ...due.map(unformatted)], rules, { stdout, onFindings });
  }
  if (check && due.length > 0)
    printNote(
      context,
      `${counted(due.length, 'file')} not formatted; run: npx authzc fmt ${paths.map(visible).join(' ')}`,
    );
  if (isRefused) return EXIT.refused;
  return check && due.length > 0 ? EXIT.failed : EXIT.done;
}

const UNFORMATTED: FindingRule = {
  id: 'format/style',
  level: 'error',
  help: 'A file is not formatted. Run `authzc fmt`.',
};

function unformatted({ path }: OutputFile): Finding {
  return {
    rule: UNFORMATTED.id,
    level: UNFORMATTED.level,
    message: 'not formatted; run authzc fmt',
    location: { path },
  };
}

/** A file by its folder, and its path below that, with `/`. */
interface NamedFile {
  readonly folder: string;
  readonly name: string;
  /** Why there is nothing to read. */
  readonly problem?: Problem | undefined;
}

type Problem = 'file/broken-link' | 'file/not-regular';

/** A text before and after; undefined if it is not well-formed, which is reported. */
type FormattedText = { readonly before: string; readonly after: string } | undefined;

function formattedFile({ folder, name, problem }: NamedFile, report: Diagnostics): FormattedText {
  if (problem !== undefined) {
    report.add(problem, new Source(name, ''), {});
    return undefined;
  }
  return formattedText(name, readPolicy(folder, name, report, folder), report);
}

function formattedText(name: string, before: string | undefined, report: Diagnostics): FormattedText {
  const after = before === undefined ? undefined : formatted(new Source(name, before), report);
  return before === undefined || after === undefined ? undefined : { before, after: keepLineEnds(before, after) };
}

/**
 * The YAML files at a path, in order. Links in a folder are not followed: what they lead to is formatted where it is.
 * @throws {InputError} if there is nothing, or a file of another format.
 */
function filesAt(path: string): readonly NamedFile[] {
  const standing = lstatSync(path, { throwIfNoEntry: false });
  if (standing === undefined) throw new MissingError('does not exist', undefined, [], path);
  const problem = problemAt(dirname(path), basename(path));
  if (problem !== undefined) return [{ folder: dirname(path), name: basename(path), problem }];
  if (statSync(path).isDirectory()) return filesIn(path);
  if (!isYaml(path)) throw new InputError('only YAML files are formatted', undefined, [], path);
  // A link to a file stays a link.
  const file = standing.isSymbolicLink() ? realpathSync(path) : path;
  return [{ folder: dirname(file), name: basename(file) }];
}

/** Policies, tests and fixtures below a folder; not schemas, which are JSON. */
function filesIn(folder: string, inner = ''): readonly NamedFile[] {
  return readdirSync(join(folder, inner), { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (isHidden(entry.name) || name === SCHEMAS_DIRECTORY) return [];
      if (entry.isDirectory()) return filesIn(folder, name);
      if (!isYaml(entry.name)) return [];
      if (entry.isFile()) return isOwn(folder, name) ? { folder, name } : [];
      const problem = problemAt(folder, name);
      return problem === undefined ? [] : { folder, name, problem };
    });
}

/** What is at a path, if it is neither a file nor a folder: compile refuses it, and reading a pipe may never end. */
function problemAt(folder: string, name: string): Problem | undefined {
  const target = linkTarget(name, folder);
  if (target === 'nowhere') return 'file/broken-link';
  return target === 'special' ? 'file/not-regular' : undefined;
}

/**
 * Whether a file of a folder is a policy, a test suite or a fixture: a folder of an application has YAML of other programs
 * as well.
 */
function isOwn(folder: string, name: string): boolean {
  const head = headOf(join(folder, name));
  if (isSuiteFile(basename(name))) return /^["']?tests["']?\s*:/m.test(head);
  if (isSkippedDirectory(basename(dirname(name))))
    return /^["']?(principals|resources|auxData|principalGroups|resourceGroups)["']?\s*:/m.test(head);
  return /^\s*["']?apiVersion["']?\s*:\s*["']?api\.authz\.dev\//m.test(head);
}

/** As much of a file as a policy may have. Of UTF-16, which is refused later, what it has in ASCII. */
function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, MAX_FILE_SIZE));
    const length = readSync(file, bytes);
    return new TextDecoder().decode(bytes.subarray(0, length)).replaceAll('\0', '').replaceAll('\ufffd', '');
  } finally {
    closeSync(file);
  }
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}
