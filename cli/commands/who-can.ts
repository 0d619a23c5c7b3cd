import { type MatrixOptions, type MatrixRow, matrixOf, plainCell } from '../../analysis/matrix/matrix.js';
import { answersText } from '../../analysis/matrix/report/text.js';
import { didYouMean } from '../../compiler/diagnostics/did-you-mean.js';
import { shownPath } from '../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../compiler/diagnostics/visible.js';
import { fold } from '../../compiler/optimise/index.js';
import { EXIT } from '../exit.js';
import { compiledFolder } from '../policies/compile.js';
import { sanitize } from '#runtime/policy';

/** The command line options of `authzc who-can`. */
export interface WhoCanOptions extends Pick<MatrixOptions, 'scope' | 'lenientScopeSearch'> {
  readonly kind: string;
  readonly action: string;
  readonly output: 'pretty' | 'json';
}

/** `authzc who-can`: the roles and principals that may do an action. Returns the exit code. */
export function whoCanCommand(directory: string, { kind, action, output, ...options }: WhoCanOptions): number {
  const compilation = compiledFolder(directory);
  if (compilation === undefined) return EXIT.refused;
  const program = fold(compilation.lowered);
  const { tables, definitions } = matrixOf(program, { ...options, kind: sanitize(kind), onlyAction: action });
  if (tables.length === 0) {
    const kinds = program.modules.flatMap((module) => (module.kind === 'resource' ? module.resource : []));
    const [note] = didYouMean(kind, kinds);
    const where = options.scope === undefined ? '' : ` in scope \`${visible(options.scope)}\``;
    throw new Error(
      `no policy is about kind \`${visible(kind)}\`${where}${note === undefined ? '' : `: ${note.message}`}`,
    );
  }
  const answers = tables.map(({ rows, ...table }) => ({ ...table, rows: rows.filter(isPossible) }));
  process.stdout.write(
    output === 'json'
      ? `${visibleJson({ kind, action, answers: answers.flatMap(plainAnswers), definitions }, 2)}\n`
      : answersText({ tables: answers, definitions }, (file) => shownPath(file, directory)),
  );
  return EXIT.done;
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
