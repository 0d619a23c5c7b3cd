import fastify from 'fastify';
import { allowedDocuments, documents, isAllowed } from './documents.ts';
import { type Person, personOf } from './people.ts';

declare module 'fastify' {
  interface FastifyRequest {
    person: Person;
  }
}

export const app = fastify();

app.decorateRequest('person');
app.addHook('onRequest', async (request, reply) => {
  const person = personOf(request.headers['x-user']?.toString());
  if (person === undefined) return reply.code(401).send({ error: 'send the header x-user' });
  request.person = person;
});

app.get('/documents', async ({ person }) => allowedDocuments(person, 'view'));

app.get<{ Params: { id: string } }>('/documents/:id', async ({ person, params }, reply) => {
  const document = documents.get(params.id);
  // A document that the person may not view must not be told apart from one that does not exist.
  if (document === undefined || !isAllowed(person, 'view', document))
    return reply.code(404).send({ error: 'not found' });
  return document;
});

app.delete<{ Params: { id: string } }>('/documents/:id', async ({ person, params }, reply) => {
  const document = documents.get(params.id);
  if (document === undefined || !isAllowed(person, 'view', document))
    return reply.code(404).send({ error: 'not found' });
  if (!isAllowed(person, 'delete', document)) return reply.code(403).send({ error: 'forbidden' });
  documents.delete(document.id);
  return document;
});
