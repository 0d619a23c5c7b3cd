import { allowedDocuments, documents, isAllowed } from './documents.ts';
import { personOf } from './people.ts';

export default {
  fetch(request: Request): Response {
    const person = personOf(request.headers.get('x-user'));
    if (person === undefined) return Response.json({ error: 'send the header x-user' }, { status: 401 });
    const [, kind, id, ...rest] = new URL(request.url).pathname.split('/');
    if (kind !== 'documents' || rest.length > 0) return Response.json({ error: 'not found' }, { status: 404 });
    if (id === undefined && request.method === 'GET') return Response.json(allowedDocuments(person, 'view'));

    const document = documents.get(id ?? '');
    // A document that the person may not view must not be told apart from one that does not exist.
    if (document === undefined || !isAllowed(person, 'view', document))
      return Response.json({ error: 'not found' }, { status: 404 });
    if (request.method === 'GET') return Response.json(document);
    if (request.method !== 'DELETE') return Response.json({ error: 'method not allowed' }, { status: 405 });
    if (!isAllowed(person, 'delete', document)) return Response.json({ error: 'forbidden' }, { status: 403 });
    documents.delete(document.id);
    return Response.json(document);
  },
};
