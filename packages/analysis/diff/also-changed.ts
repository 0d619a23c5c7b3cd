import type * as ir from '../../../compiler/ir/program.js';
import { expanded } from '../decision/expanded-schema.js';
import { listDefinitions, formatStructure } from '../formula/structure.js';
import type { AlsoChanged } from './report.js';

/** The outputs and schemas of two programs that differ; sorted. What only one of them has is a change of rules. */
export function alsoChanged(old: ir.Program, new_: ir.Program): readonly AlsoChanged[] {
  const found: AlsoChanged[] = [];
  for (const what of ['output', 'schema'] as const) {
    const [before, after] = [old, new_].map((program) =>
      what === 'output' ? listOutputs(program) : listSchemas(program),
    );
    for (const [rule, text] of before as Texts) {
      const other = (after as Texts).get(rule);
      if (other !== undefined && other !== text) found.push({ what, rule });
    }
  }
  return found.sort((a, b) => (`${a.what} ${a.rule}` < `${b.what} ${b.rule}` ? -1 : 1));
}

type Texts = ReadonlyMap<string, string>;

/** The outputs by rule; empty without one. */
function listOutputs({ modules }: ir.Program): Texts {
  return new Map(
    modules.flatMap((module) => {
      if (module.kind === 'derived-roles') return [];
      return module.rules.map(({ name, output }) => {
        const values = [output?.ruleActivated, output?.conditionNotMet];
        const given = values.filter((value) => value !== undefined);
        return [
          `${module.key}#${name}`,
          given.length === 0
            ? ''
            : JSON.stringify([
                ...values.map((value) => value && formatStructure(value)),
                listDefinitions(given, module),
              ]),
        ] as const;
      });
    }),
  );
}

/** What the schemas of resource policies accept, by policy. */
function listSchemas({ modules, schemas }: ir.Program): Texts {
  const expandContent = (at: ir.Schema['validator'], attributesOf: 'principal' | 'resource'): unknown =>
    'file' in at ? (expanded({ attributesOf, at, modules: schemas }) ?? [at, schemas]) : at;
  return new Map(
    modules.flatMap((module) =>
      module.kind === 'resource'
        ? [
            [
              module.key,
              JSON.stringify(
                (['principal', 'resource'] as const).map((attributesOf) => {
                  const schema = module.schemas[attributesOf];
                  return schema && [schema.ignoredActions, expandContent(schema.validator, attributesOf)];
                }),
              ),
            ] as const,
          ]
        : [],
    ),
  );
}
