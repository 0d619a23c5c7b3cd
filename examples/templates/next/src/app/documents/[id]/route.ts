import { documents, isAllowed } from '../../../documents.ts';
import { personOf } from '../../../people.ts';

interface Context {
  readonly params: Promise<{ readonly id: string }>;
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const person = personOf(request.headers.get('x-user'));
  if (person === undefined) return Response.json({ error: 'send the header x-user' }, { status: 401 });
  const document = documents.get((await params).id);
  // A document that the person may not view must not be told apart from one that does not exist.
  if (document === undefined || !isAllowed(person, 'view', document))
    return Response.json({ error: 'not found' }, { status: 404 });
  return Response.json(document);
}

export async function DELETE(request: Request, { params }: Context): Promise<Response> {
  const person = personOf(request.headers.get('x-user'));
  if (person === undefined) return Response.json({ error: 'send the header x-user' }, { status: 401 });
  const document = documents.get((await params).id);
  if (document === undefined || !isAllowed(person, 'view', document))
    return Response.json({ error: 'not found' }, { status: 404 });
  if (!isAllowed(person, 'delete', document)) return Response.json({ error: 'forbidden' }, { status: 403 });
  documents.delete(document.id);
  return Response.json(document);
}
