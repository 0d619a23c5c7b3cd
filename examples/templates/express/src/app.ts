import express, { type Response } from 'express';
import { allowedDocuments, documents, isAllowed } from './documents.ts';
import { type Person, personOf } from './people.ts';

type PersonResponse = Response<unknown, { person: Person }>;

export const app = express();

app.use((request, response: PersonResponse, next) => {
  const person = personOf(request.get('x-user'));
  if (person === undefined) {
    response.status(401).json({ error: 'send the header x-user' });
    return;
  }
  response.locals.person = person;
  next();
});

app.get('/documents', (_, response: PersonResponse) => {
  response.json(allowedDocuments(response.locals.person, 'view'));
});

app.get('/documents/:id', ({ params }, response: PersonResponse) => {
  const document = documents.get(params.id);
  // A document that the person may not view must not be told apart from one that does not exist.
  if (document === undefined || !isAllowed(response.locals.person, 'view', document))
    response.status(404).json({ error: 'not found' });
  else response.json(document);
});

app.delete('/documents/:id', ({ params }, response: PersonResponse) => {
  const document = documents.get(params.id);
  const { person } = response.locals;
  if (document === undefined || !isAllowed(person, 'view', document)) {
    response.status(404).json({ error: 'not found' });
  } else if (!isAllowed(person, 'delete', document)) {
    response.status(403).json({ error: 'forbidden' });
  } else {
    documents.delete(document.id);
    response.json(document);
  }
});
