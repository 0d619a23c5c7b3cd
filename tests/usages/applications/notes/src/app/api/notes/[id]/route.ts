import { guard } from '@/access';

type Params = { readonly id: string };

export const GET = guard(
  { action: 'view', also: ['share'], resource: ({ params }: { params: Params }) => ({ kind: 'note', id: params.id }) },
  ({ decision }) => Response.json({ id: decision.resource.id, mayShare: decision.allowed.share }),
);

export async function DELETE(_: Request, { params }: { params: Promise<Params> }): Promise<Response> {
  const { id } = await params;
  return new Response(id, { status: 204 });
}
