import { type Actions, engine, selects } from './authz.ts';
import type { Person } from './people.ts';

export interface Document {
  readonly id: string;
  readonly owner: string;
  readonly team: string;
  readonly status: 'draft' | 'published' | 'archived';
}

/** Stands for a database. */
export const documents = new Map<string, Document>(
  (
    [
      { id: 'd1', owner: 'alice', team: 'design', status: 'draft' },
      { id: 'd2', owner: 'bob', team: 'design', status: 'draft' },
      { id: 'd3', owner: 'bob', team: 'design', status: 'published' },
      { id: 'd4', owner: 'carol', team: 'sales', status: 'published' },
      { id: 'd5', owner: 'alice', team: 'design', status: 'archived' },
    ] as const
  ).map((document) => [document.id, document]),
);

/** Whether a person may perform an action on a document. An action that the policies do not have does not compile. */
export function isAllowed(principal: Person, action: Actions['document'], { id, ...attr }: Document): boolean {
  return engine.isAllowed({ principal, resource: { kind: 'document', id, attr }, action });
}

/** The documents on which a person may perform an action. `authz/residual/sql` renders the same filter as SQL. */
export function allowedDocuments(principal: Person, action: Actions['document']): readonly Document[] {
  const { filter } = engine.plan({ principal, resource: { kind: 'document' }, actions: [action] });
  return [...documents.values()].filter(({ id, ...attr }) => selects(filter, { id, attr }));
}
