import type { CheckInput, CheckOutput, DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { AuditEntry } from './entry.js';
import type { MaskPath } from '../config/mask-path.js';
import { Masking, redactCheckOutput, redactPlanOutput } from '../masking/masked-values.js';

/**
 * Returns an entry in which the values at the paths are masked, and every place where the decision repeats them
 * (outputs, operands of a filter, error messages). Parts with a fixed type keep it: a masked list has one item, and a
 * masked map keeps its keys, with each value masked. The original entry, which shares its attributes with the request,
 * is not changed.
 */
export function maskEntry<E extends AuditEntry>(entry: E, paths: readonly MaskPath[]): E {
  if (paths.length === 0) return entry;
  const masking = new Masking(paths);
  const masked = { ...entry, ...masking.members(entry, ['requestContext', 'metadata', 'peer']) };
  return 'auditTrail' in masked ? { ...masked, ...maskDecision(masked, masking) } : masked;
}

function maskDecision(
  { checkResources, planResources }: DecisionLogEntry,
  masking: Masking,
): Partial<DecisionLogEntry> {
  if (checkResources !== undefined) {
    const inputs = checkResources.inputs.map((input) => maskInput(input, masking));
    const outputs = checkResources.outputs.map((output) => maskOutput(output, masking));
    return { checkResources: { ...checkResources, inputs, outputs } };
  }
  if (planResources === undefined) return {};
  const input = maskInput(planResources.input, masking);
  const { output } = planResources;
  return {
    planResources: { ...planResources, input, ...(output && { output: redactPlanOutput(output, masking.secrets) }) },
  };
}

function maskInput<I extends Partial<CheckInput>>(input: I, masking: Masking): I {
  return { ...input, ...masking.members(input, ['principal', 'resource', 'auxData']) };
}

function maskOutput(output: CheckOutput, masking: Masking): CheckOutput {
  return redactCheckOutput({ ...output, ...masking.members(output, ['outputs']) }, masking.secrets);
}
