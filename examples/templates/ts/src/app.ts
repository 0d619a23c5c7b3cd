import { createServer, type IncomingMessage } from 'node:http';
import { allowedDocuments, documents, isAllowed } from './documents.ts';
import { personOf } from './people.ts';

/** The server of the application, which does not listen yet. */
export const app = createServer((request, response) => {
  const { status, body } = answer(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

function answer({ method, url = '', headers }: IncomingMessage): { readonly status: number; readonly body: unknown } {
  const person = personOf(headers['x-user']?.toString());
  if (person === undefined) return { status: 401, body: { error: 'send the header x-user' } };
  const [, kind, id, ...rest] = new URL(url, 'http://localhost').pathname.split('/');
  if (kind !== 'documents' || rest.length > 0) return { status: 404, body: { error: 'not found' } };
  if (id === undefined && method === 'GET') return { status: 200, body: allowedDocuments(person, 'view') };

  const document = documents.get(id ?? '');
  // A document that the person may not view must not be told apart from one that does not exist.
  if (document === undefined || !isAllowed(person, 'view', document))
    return { status: 404, body: { error: 'not found' } };
  if (method === 'GET') return { status: 200, body: document };
  if (method !== 'DELETE') return { status: 405, body: { error: 'method not allowed' } };
  if (!isAllowed(person, 'delete', document)) return { status: 403, body: { error: 'forbidden' } };
  documents.delete(document.id);
  return { status: 200, body: document };
}
