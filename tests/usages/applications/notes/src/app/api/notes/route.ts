import { engine } from '@/access';

export async function GET(request: Request): Promise<Response> {
  const principal = { id: request.headers.get('x-user') ?? '', roles: ['user'] };
  const { filter } = engine.plan({ principal, resource: { kind: 'notes' }, actions: ['view'] });
  return Response.json(filter);
}
