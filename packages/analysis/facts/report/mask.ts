import { pathText } from '../../../../runtime/facts/paths.js';
import type { Program } from '../../../../compiler/ir/program.js';
import type { FactsReport } from '../facts-report.js';
import { ReadSetBuilder, unite } from '../read-set.js';
import { addSchema } from '../schema-reads.js';

/**
 * The attributes that schemas have and no decision reads, as paths of `audit.mask`. A mask is for all kinds, so an
 * attribute that one kind reads is kept for all.
 */
export function listUnread({ tables }: FactsReport, { modules, schemas }: Program): readonly string[] {
  const known = new ReadSetBuilder(false);
  for (const module of modules) {
    if (module.kind !== 'resource') continue;
    for (const attributesOf of ['principal', 'resource'] as const) {
      const schema = module.schemas[attributesOf];
      if (schema !== undefined && !('unavailable' in schema.validator))
        addSchema({ attributesOf, at: schema.validator, modules: schemas }, known);
    }
  }
  const { paths } = unite(tables.flatMap(({ rows }) => rows.flatMap(({ sets }) => sets)));
  const read = paths.map(({ path, leaf }) => ({
    names: path.slice(0, 3),
    isName: leaf !== 'value' && path.length < 3,
  }));
  // A masked side keeps its names.
  const isRead = (property: readonly string[]): boolean =>
    read.some(({ names, isName }) => !isName && names.every((name, index) => name === '*' || name === property[index]));
  const properties = known.build().paths.filter(({ path }) => path.length === 3 && !isRead(path));
  return [...new Set(properties.map(({ path }) => pathText(path)))];
}
