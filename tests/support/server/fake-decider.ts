import type { Decision } from '../../../server/service/decider.js';
import type { Decider } from '../../../server/service/decider.js';

/** Allows `read` and `list`, echoes the attribute `v` for the action `echo`, throws for the action `crash`. */
export const fakeDecider: Decider = {
  asOne: (work) => work(),
  plan: () => ({
    filter: { kind: 'KIND_ALWAYS_DENIED' },
    filterDebug: 'NO_MATCH',
    matchedScopes: undefined,
    validationErrors: [],
    unplanned: [],
  }),
  check: ({ resources, includeMeta }) =>
    resources.map(({ resource, actions }): Decision => {
      if (actions.includes('crash')) throw new Error('secret');
      return {
        actions: actions.map((action) => ({
          action,
          effect: action === 'read' || action === 'list' ? 1 : 2,
          matchedPolicy: `resource.${resource.kind}.vdefault`,
          matchedScope: resource.scope,
        })),
        effectiveDerivedRoles: includeMeta ? (resource.attr['roles'] ?? []) : [],
        outputs: actions.includes('echo')
          ? [{ src: 'resource.values.vdefault#echo', action: 'echo', val: resource.attr['v'] }]
          : [],
        validationErrors: actions.includes('invalid')
          ? [{ path: '/a', message: 'is wrong', source: 'SOURCE_RESOURCE' }]
          : [],
      };
    }),
};
