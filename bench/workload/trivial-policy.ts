import type { AccessRequest } from '../../runtime/engine/index.js';
import type { PolicyTexts } from './leave-policies.js';
import { EMPLOYEES, type Employee } from './leave-requests.js';

/** A question about a document. */
export interface DocumentQuestion extends AccessRequest {
  readonly principal: Employee;
  readonly resource: { readonly kind: string; readonly id: string; readonly attr: { readonly owner: string } };
}

/** A policy whose rules compute nearly nothing, so that what surrounds a decision is most of it. */
export const TRIVIAL_POLICY: PolicyTexts = {
  'document.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [employee]
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition: { match: { expr: R.attr.owner == P.id } }
`,
};

/** The same by hand. */
export function isDocumentAllowed({ principal, resource, action }: DocumentQuestion): boolean {
  if (resource.kind !== 'document') return false;
  switch (action) {
    case 'view':
      return principal.roles.includes('employee');
    case 'edit':
      return principal.roles.includes('employee') && resource.attr.owner === principal.id;
    default:
      return false;
  }
}

/** Questions about documents, half of which belong to the principal. They pass through JSON, as those of the leave policy do. */
export function documentQuestions(count: number): readonly DocumentQuestion[] {
  const employees = JSON.parse(JSON.stringify(EMPLOYEES)) as readonly Employee[];
  return Array.from({ length: count }, (_, index) => {
    const principal = employees[(index * 7) % employees.length] as Employee;
    const owner = (index % 4 < 2 ? principal : (employees[(index * 11) % employees.length] as Employee)).id;
    const resource = { kind: 'document', id: `d${index}`, attr: { owner } };
    return { principal, action: index % 2 === 0 ? 'view' : 'edit', resource: JSON.parse(JSON.stringify(resource)) };
  });
}
