import * as cel from '../../../packages/cel/runtime/index.js';
import { filterFunctions } from '../../../compiler/emit/filter-functions.js';
import type { Program } from '../../../compiler/ir/program.js';

/** The functions that a bundle with only the policies of one kind has for its filters. */
export function functionsOf(program: Program | undefined, kind: string): Partial<typeof cel> {
  const modules = program?.modules.filter((module) => module.kind === 'resource' && module.resource === kind) ?? [];
  if (modules.length === 0) throw new Error(`no policy of ${kind}`);
  const hasSchemas = modules.some(
    ({ kind, ...module }) => kind === 'resource' && 'schemas' in module && module.schemas.resource !== undefined,
  );
  const names = filterFunctions({ modules, schemas: hasSchemas ? (program?.schemas ?? []) : [] });
  return Object.fromEntries(Object.entries(cel).filter(([name]) => names.includes(name)));
}
