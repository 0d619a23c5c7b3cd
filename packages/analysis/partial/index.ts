/**
 * What decides while facts are unknown and tells what decisions read, as generated code imports it
 * (`authz/runtime/partial`). It runs anywhere.
 */
import type { MakePartialDecider } from '../../../runtime/engine/index.js';
import { restoreProgram, type SerialisedProgram } from '../../../compiler/ir/serialised.js';
import { withSchemas } from '../../../compiler/ir/serialised-schemas.js';
import type { BundleFacts, ReadSetOptions } from '../../../runtime/policy/index.js';
import { ReadSets } from '../facts/of-point.js';
import { PartialDecisions } from './partial-decisions.js';

export type { FactNames, MakePartialDecider, PartialAnswer, PartialDecider } from '../../../runtime/engine/index.js';

/** Decides by the program of policies, which is restored when a decider is first asked for. */
export function decidesPartially(serialised: SerialisedProgram): MakePartialDecider {
  let program: ReturnType<typeof restoreProgram> | undefined;
  return (guard, options) => {
    program ??= restoreProgram(serialised);
    return new PartialDecisions(program, guard, options);
  };
}

/**
 * Tells what decisions read by the program of policies, which is restored when a read set is first asked for.
 * @param schemas the JSON schemas of the program, serialised.
 */
export function tellsReads(serialised: SerialisedProgram, schemas: string): BundleFacts {
  let program: ReturnType<typeof restoreProgram> | undefined;
  const known = new Map<string, ReadSets>();
  const setsFor = (options: ReadSetOptions): ReadSets => {
    program ??= withSchemas(restoreProgram(serialised), schemas);
    const key = JSON.stringify(options);
    const sets = known.get(key) ?? new ReadSets(program, options, false);
    known.set(key, sets);
    return sets;
  };
  return {
    readSets: (options) => {
      const sets = setsFor(options);
      return (query) => sets.of(query);
    },
    byKind: (options) => setsFor(options).byKind('effect'),
    responsesByKind: (options) => setsFor(options).byKind('response'),
  };
}
