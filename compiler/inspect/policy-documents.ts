import { makePolicyKey } from '../ast/names.js';
import type { PolicyFile } from '../ast/policy.js';
import type { PolicyDocuments } from '../ir/serialised.js';
import { inspect } from './inspect.js';
import { policyMessage } from './policy-message.js';

/** The documents of files that compile. */
export function policyDocuments(files: readonly PolicyFile[]): PolicyDocuments {
  const contained = files.filter(
    ({ disabled, policy }) => !disabled && policy.kind !== 'invariants' && policy.kind !== 'tenant-roles',
  );
  const messages = new Map(contained.map((file) => [makePolicyKey(file.policy), policyMessage(file)]));
  return inspect(contained).map(({ policyId, file: _, disabled: __, name, version, scope, ...inspected }) => ({
    id: policyId,
    name,
    version,
    scope,
    json: JSON.stringify({ policy: messages.get(policyId), inspected: { policyId, ...inspected } }),
  }));
}
