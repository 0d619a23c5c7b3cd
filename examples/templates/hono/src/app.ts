import { Hono } from 'hono';
import { allowedDocuments, documents, isAllowed } from './documents.ts';
import { type Person, personOf } from './people.ts';

export const app = new Hono<{ Variables: { person: Person } }>();

app.use(async (c, next) => {
  const person = personOf(c.req.header('x-user'));
  if (person === undefined) return c.json({ error: 'send the header x-user' }, 401);
  c.set('person', person);
  return next();
});

app.get('/documents', (c) => c.json(allowedDocuments(c.var.person, 'view')));

app.get('/documents/:id', (c) => {
  const document = documents.get(c.req.param('id'));
  // A document that the person may not view must not be told apart from one that does not exist.
  if (document === undefined || !isAllowed(c.var.person, 'view', document)) return c.json({ error: 'not found' }, 404);
  return c.json(document);
});

app.delete('/documents/:id', (c) => {
  const document = documents.get(c.req.param('id'));
  if (document === undefined || !isAllowed(c.var.person, 'view', document)) return c.json({ error: 'not found' }, 404);
  if (!isAllowed(c.var.person, 'delete', document)) return c.json({ error: 'forbidden' }, 403);
  documents.delete(document.id);
  return c.json(document);
});
