import type { SqlProblem } from './condition-result.js';

/** A plan that an adapter cannot translate with the semantics of check, so it translates none of it. */
export class UnsupportedPlanError extends Error {
  override readonly name = 'UnsupportedPlanError';

  /**
   * @param target what is queried: ``the table `notes` ``.
   * @param problems the parts that cannot be translated; never empty.
   */
  constructor(
    target: string,
    readonly problems: readonly SqlProblem[],
    /** The action of the plan, if there are plans of several. */
    readonly action?: string,
  ) {
    super(
      `the plan${action === undefined ? '' : ` of \`${action}\``} has no condition for ${target}: ${problems.map(problemText).join('; ')}. ` +
        'Map the attribute, change the rule, or load the rows and check each',
    );
  }
}

function problemText({ operator, reason, part, policy, rule, place }: SqlProblem): string {
  const owner =
    rule === undefined ? '' : `rule \`${rule}\` of \`${policy}\`${place === undefined ? '' : ` (${place})`}: `;
  return `${owner}\`${operator}\`: ${reason}, in \`${part}\``;
}
