import type { ResourceInput } from '../../../runtime/engine/index.js';
import { sanitize } from '../../../runtime/policy/index.js';
import { listActions } from '../../analysis/decision/narrowing.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { reported, type ReviewSources, withReview } from '../review/open-review.js';
import { digestPopulation } from '../review/population.js';
import { type ReviewState, writeReview } from '../review/state.js';

/** The command line options of `authzc review start`. */
export interface ReviewStartOptions extends ReviewSources {
  readonly action?: readonly string[];
}

/** `authzc review start`: freezes who and what is reviewed. Returns the exit code. */
export function reviewStartCommand(
  directory: string,
  options: ReviewStartOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, () =>
    withReview(directory, options, context, async ({ population, program, hash, at }) => {
      const actions = options.action ?? namedActions(program, population.resources);
      if (actions.length === 0)
        throw new UsageError('no policy names an action of these kinds: name some by `--action`');
      const state: ReviewState = {
        format: 1,
        started: at,
        policies: hash,
        actions: [...new Set(actions)].sort(),
        population: digestPopulation(population),
        decisions: [],
      };
      writeReview(options.review, state);
      const { users, resources } = state.population;
      context.stdout.write(
        `${visible(options.review)}: ${users.count} users, ${resources.count} resources, ${state.actions.length} actions\n`,
      );
      return EXIT.done;
    }),
  );
}

/** The actions that policies name for the kinds of resources. */
function namedActions({ modules }: Program, resources: readonly ResourceInput[]): readonly string[] {
  const kinds = new Set(resources.map(({ kind }) => sanitize(kind)));
  return modules
    .filter((module) => module.kind !== 'resource' || kinds.has(module.kindName))
    .flatMap(listActions)
    .filter((action) => !action.includes('*'));
}
