import type { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type * as ir from '../../../compiler/ir/program.js';
import { PathReader } from './paths.js';
import { ReadSetBuilder } from './read-set.js';

/**
 * Reports conditions that read all attributes of a side, as `R.attr == P.attr` does: callers then have to send them all,
 * and sources to fetch them. Claims come as a whole from a token, and are not reported.
 *
 * @param program with folded literals.
 */
export function reportWholeSides({ modules }: ir.Program, report: Diagnostics): void {
  for (const module of modules) {
    for (const { value, expression } of listExpressions(module)) {
      const builder = new ReadSetBuilder(true);
      new PathReader(module, builder).expression(value, expression);
      const { whole } = builder.build();
      for (const side of whole.filter((one) => !one.startsWith('auxData'))) {
        const span = expression.spanOf(0, expression.text.length);
        report.add('facts/whole', { span, anchor: span.start, path: '' }, { side }, { notes: [NAMED] });
      }
    }
  }
}

const NAMED = { message: 'name the attributes: `R.attr.region == P.attr.region`' };

type Expression = Extract<ir.Match, { readonly kind: 'expr' }>;

function listExpressions(module: ir.Module): readonly Expression[] {
  const conditions: readonly (ir.Match | undefined)[] =
    module.kind === 'derived-roles'
      ? module.definitions.map(({ condition }) => condition)
      : (module.rules as readonly { readonly condition?: ir.Match | undefined }[]).map(({ condition }) => condition);
  const found = conditions.flatMap((match) => (match === undefined ? [] : listParts(match)));
  // Rules may share a condition.
  return [...new Map(found.map((part) => [part.expression.spanOf(0, 0).start, part])).values()];
}

function listParts(match: ir.Match): readonly Expression[] {
  return match.kind === 'expr' ? [match] : match.of.flatMap(listParts);
}
