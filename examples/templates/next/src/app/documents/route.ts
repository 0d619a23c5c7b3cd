import { allowedDocuments } from '../../documents.ts';
import { personOf } from '../../people.ts';

export function GET(request: Request): Response {
  const person = personOf(request.headers.get('x-user'));
  if (person === undefined) return Response.json({ error: 'send the header x-user' }, { status: 401 });
  return Response.json(allowedDocuments(person, 'view'));
}
