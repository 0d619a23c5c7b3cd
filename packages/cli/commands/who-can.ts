import { type MatrixOptions, type MatrixRow, makeMatrix, plainCell } from '../../analysis/matrix/matrix.js';
import { answersText } from '../../analysis/matrix/report/text.js';
import { listActions, suggestionFor } from '../../analysis/decision/narrowing.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { compiledFolder } from '../policies/compile.js';
import { readResource } from '../policies/request-files.js';
import { InputError, printWarning } from '../report.js';
import { literalOrGlob, sanitize } from '../../../runtime/policy/index.js';

/** The command line options of `authzc who-can`. */
export interface WhoCanOptions extends Pick<MatrixOptions, 'scope' | 'lenientScopeSearch'> {
  /** Required without `resource`. */
  readonly kind?: string;
  readonly action: string;
  /** The id of the resource. */
  readonly id?: string;
  /** A file of the resource. */
  readonly resource?: string;
  readonly output: 'pretty' | 'json' | 'csv' | 'sql';
}

/** `authzc who-can`: the roles and principals that may do an action. Returns the exit code. */
export function whoCanCommand(
  directory: string,
  { action, output, ...given }: WhoCanOptions,
  context: CommandContext,
): number {
  if (output === 'csv' || output === 'sql')
    throw new UsageError(`\`-o ${output}\` lists users: name them by \`--users tables.yaml\``);
  const { kind, ...options } = readSubject(given, context);
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const program = fold(compilation.lowered);
  const { tables, definitions } = makeMatrix(program, {
    ...options,
    ...(given.lenientScopeSearch === true && { lenientScopeSearch: true }),
    kind: sanitize(kind),
    onlyAction: action,
  });
  if (tables.length === 0) {
    const kinds = program.modules.flatMap((module) => (module.kind === 'resource' ? module.resource : []));
    const [note] = didYouMean(kind, kinds);
    const where = options.scope === undefined ? '' : ` in scope \`${visible(options.scope)}\``;
    throw new Error(
      `no policy covers kind \`${visible(kind)}\`${where}${note === undefined ? '' : `: ${note.message}`}`,
    );
  }
  warnOfAction(action, program.modules.flatMap(listActions), context);
  const answers = tables.map(({ rows, ...table }) => ({ ...table, rows: rows.filter(isPossible) }));
  context.stdout.write(
    output === 'json'
      ? `${visibleJson({ kind, action, answers: answers.flatMap(plainAnswers), definitions }, 2)}\n`
      : answersText({ tables: answers, definitions }, (file) => shownPath(file, directory)),
  );
  return EXIT.done;
}

/** Warns about an action that only `*` matches, or nothing, if it is close to one that policies name. */
function warnOfAction(action: string, listed: readonly string[], context: CommandContext): void {
  const names = listed.filter((name) => name !== '*');
  if (names.some((name) => literalOrGlob(name)(action))) return;
  for (const { message } of suggestionFor(action, names))
    printWarning(context, `no rule names action \`${action}\`: ${message}`);
}

/** The resources in question, and what is known of them. */
function readSubject(
  { kind, id, scope, resource: file }: Omit<WhoCanOptions, 'action' | 'output'>,
  context: CommandContext,
): Pick<MatrixOptions, 'scope' | 'version' | 'known'> & { readonly kind: string } {
  if (file === undefined) {
    if (kind === undefined)
      throw new InputError('name the resources', undefined, [{ message: 'by `--kind KIND` or `--resource FILE`' }]);
    return { kind, scope, known: id === undefined ? undefined : { id } };
  }
  const resource = readResource(file, context);
  return {
    kind: resource.kind,
    scope: (resource.scope ?? '').replace(/^\./, ''),
    version: resource.policyVersion ?? 'default',
    known: { id: resource.id, attr: resource.attr ?? {} },
  };
}

function isPossible({ cells: [cell] }: MatrixRow): boolean {
  return cell?.answer !== 'denied';
}

function plainAnswers({
  version,
  scope,
  rows,
}: {
  readonly version: string;
  readonly scope: string;
  readonly rows: readonly MatrixRow[];
}): readonly object[] {
  return rows.map(({ principal, role, cells: [cell] }) => ({
    version,
    scope,
    principal,
    role,
    ...(cell && plainCell(cell)),
  }));
}
