import type { CompiledBundle } from '../../../runtime/engine/index.js';
import type { CompiledTraces } from '../../../runtime/engine/parts.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { withoutRule } from '../../analysis/program/without-rule.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { InputError } from '../report.js';
import type { PoliciesInMemory } from './compile.js';

/** Policies that decide, with the program that they are of. */
export interface DecidingPolicies {
  readonly policies: CompiledBundle;
  /** The program, with folded literals. */
  readonly program: Program;
  readonly traced: CompiledTraces;
}

/** The policies of a folder or, with the name of a rule, what they would be without it. Throws an InputError if there is none. */
export async function policiesWithout(
  { policies, lowered, traced }: PoliciesInMemory,
  rule: string | undefined,
): Promise<DecidingPolicies> {
  const program = fold(lowered);
  if (rule === undefined) return { policies, program, traced: await traced() };
  const left = withoutRule(program, rule);
  if (left === undefined) {
    const names = program.modules.flatMap((module) =>
      module.kind === 'derived-roles' ? [] : module.rules.map(({ name }) => name),
    );
    throw new InputError(`no policy has a rule \`${rule}\``, undefined, didYouMean(rule, [...new Set(names)]));
  }
  const made = makeBundle(left);
  const { tenantRoles } = policies;
  return {
    policies: { ...made.bundle, hash: policies.hash, ...(tenantRoles !== undefined && { tenantRoles }) },
    program: left,
    traced: made.traced,
  };
}
