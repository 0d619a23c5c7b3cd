/**
 * What plans which principals may do something, as generated code imports it (`authz/runtime/subjects`). It runs
 * anywhere.
 */
import type { EnginePart } from '../../../runtime/engine/index.js';
import { restoreProgram, type SerialisedProgram } from '../../../compiler/ir/serialised.js';
import { withSchemas } from '../../../compiler/ir/serialised-schemas.js';
import { subjectPlans } from './subject-plans.js';

export type { EnginePart } from '../../../runtime/engine/index.js';

/**
 * The part of an engine that plans which principals may do something, by the program of its policies, which is
 * restored when an engine is first made.
 *
 * @param schemas the JSON schemas of the program, serialised.
 */
export function plansSubjects(serialised: SerialisedProgram, schemas: string): EnginePart {
  let program: ReturnType<typeof restoreProgram> | undefined;
  return (engine) => {
    program ??= withSchemas(restoreProgram(serialised), schemas);
    subjectPlans(program)(engine);
  };
}
