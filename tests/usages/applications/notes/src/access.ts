import { createEngine } from 'authz/runtime';
import { inProcessClient } from 'authz/client';
import { nextGuard } from 'authz/middleware/next';
import { reactAuthz } from 'authz/react';

declare const policies: Parameters<typeof createEngine>[0];

export const engine = createEngine(policies);
export const { AuthzProvider, useAccess } = reactAuthz(engine);
export const guard = nextGuard({
  client: inProcessClient(policies),
  principal: ({ request }) => ({ id: request.headers.get('x-user') ?? '', roles: ['user'] }),
});

const ACTIONS = { read: 'view', write: 'edit', remove: 'delete' } as const;

/** Throws unless the user may do something with a note. */
export function authorize(id: string, permission: keyof typeof ACTIONS): void {
  const principal = { id: 'ann', roles: ['user'] };
  if (!engine.isAllowed({ principal, resource: { kind: 'note', id }, action: ACTIONS[permission] })) throw new Error('forbidden');
}
