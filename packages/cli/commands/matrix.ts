import { checkNarrowing } from '../../analysis/decision/narrowing.js';
import { type Matrix, type MatrixOptions, makeMatrix } from '../../analysis/matrix/matrix.js';
import { matrixHtml } from '../../analysis/matrix/report/html.js';
import { matrixJson } from '../../analysis/matrix/report/json.js';
import { matrixMarkdown } from '../../analysis/matrix/report/markdown.js';
import { matrixText } from '../../analysis/matrix/report/text.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { compiledFolder } from '../policies/compile.js';

/** The command line options of `authzc matrix`. */
export interface MatrixCommandOptions
  extends Pick<MatrixOptions, 'kind' | 'action' | 'role' | 'scope' | 'lenientScopeSearch'> {
  readonly output: 'pretty' | 'markdown' | 'html' | 'json';
}

/** `authzc matrix`: who may do what, as tables. Returns the exit code. */
export function matrixCommand(
  directory: string,
  { output, ...options }: MatrixCommandOptions,
  context: CommandContext,
): number {
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const { kind, action, scope, lenientScopeSearch } = options;
  checkNarrowing({ kind, action, scope }, [compilation.lowered], lenientScopeSearch);
  const matrix = makeMatrix(fold(compilation.lowered), options);
  if (matrix.tables.length === 0)
    throw new Error('no policy covers this kind, action, role and scope; `authzc inspect` lists their names');
  context.stdout.write(formatMatrix(matrix, output, (file) => shownPath(file, directory)));
  return EXIT.done;
}

function formatMatrix(
  matrix: Matrix,
  output: MatrixCommandOptions['output'],
  pathOf: (file: string) => string,
): string {
  switch (output) {
    case 'pretty':
      return matrixText(matrix, pathOf);
    case 'markdown':
      return matrixMarkdown(matrix, pathOf);
    case 'html':
      return matrixHtml(matrix, pathOf);
    case 'json':
      return `${visibleJson(matrixJson(matrix), 2)}\n`;
  }
}
