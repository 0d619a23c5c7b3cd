import type { Policy, PolicyFile } from '../ast/policy.js';

/**
 * A document without the bodies of its rules and its local definitions: all that rules for the whole set, and other
 * documents, read of a policy that cannot be imported.
 */
export function cutHead(file: PolicyFile): PolicyFile {
  const { source, place, disabled, policy } = file;
  return { source, place, disabled, description: '', annotations: {}, legacyVariables: [], policy: policyHead(policy) };
}

function policyHead(policy: Policy): Policy {
  if (!('rules' in policy)) return policy;
  const definitions = {
    variables: { imports: policy.variables.imports, local: [] },
    constants: { imports: policy.constants.imports, local: [] },
  };
  switch (policy.kind) {
    case 'resource': {
      const rules = policy.rules.filter(({ derivedRoles }) => derivedRoles.length > 0);
      return {
        ...policy,
        ...definitions,
        rules: rules.map(({ place, effect, derivedRoles }) => ({ ...EMPTY, place, effect, derivedRoles })),
      };
    }
    case 'principal':
      return {
        ...policy,
        ...definitions,
        rules: policy.rules.map(({ place, resource }) => ({ place, resource, actions: [] })),
      };
    case 'role':
      return {
        ...policy,
        ...definitions,
        rules: policy.rules.map(({ place, resource }) => ({ ...EMPTY, place, resource, allowActions: [] })),
      };
  }
}

const EMPTY = { name: undefined, actions: [], roles: [], condition: undefined, output: undefined };
