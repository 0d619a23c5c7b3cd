import { AuthzError } from 'authz/client';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Contact, type ContactFields, contactChanges, newContact, shown } from './contact.js';
import { pageOf } from './page.js';
import type { ContactAction, Pdp } from './pdp.js';
import { Refusal } from './refusal.js';
import { allowed, type Condition, type ContactStore } from './store.js';
import type { Authenticate, Principal } from './token.js';

/** The parts that the API is made of. */
export interface Parts {
  readonly store: ContactStore;
  readonly pdp: Pdp;
  readonly authenticate: Authenticate;
}

/** The routes. Each authenticates the caller, then asks the PDP, and only then acts. */
export function contactApi({ store, pdp, authenticate }: Parts): FastifyInstance {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true }, frameworkErrors: answerError });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async (_, reply) => reply.code(404).send({ error: 'Not found' }));

  app.register(async (routes) => {
    // Before the body is read: without a token, a caller learns nothing and causes no work.
    routes.decorateRequest('principal', null);
    routes.addHook('onRequest', async (request) =>
      request.setDecorator('principal', await authenticate(request.headers.authorization)),
    );

    routes.get<{ Querystring: Query }>('/contacts', async (request, reply) => {
      const page = pageOf(request.query);
      const condition = await listed(principalOf(request));
      reply.header('x-total-count', store.count(condition));
      return store.list(condition, page).map(shown);
    });

    routes.get<{ Params: Id }>('/contacts/:id', async (request) =>
      shown(await permitted(principalOf(request), 'read', request.params.id)),
    );

    routes.post('/contacts/new', async (request, reply) => {
      const principal = principalOf(request);
      await permit(principal, 'create', 'new', { ...BLANK, owner: principal.id });
      const { id } = store.create(newContact(request.body, principal.id));
      reply.header('location', `/contacts/${id}`);
      return { result: 'Created contact' };
    });

    routes.patch<{ Params: Id }>('/contacts/:id', async (request) => {
      const { id } = await permitted(principalOf(request), 'update', request.params.id);
      if (!store.update(id, contactChanges(request.body))) throw notFound();
      return { result: `Updated contact ${id}` };
    });

    routes.delete<{ Params: Id }>('/contacts/:id', async (request) => {
      const { id } = await permitted(principalOf(request), 'delete', request.params.id);
      if (!store.delete(id)) throw notFound();
      return { result: `Contact ${id} deleted` };
    });
  });
  return app;

  /** The contacts that a caller may list, as a condition for the database. It comes from the same policies. */
  async function listed(principal: Principal): Promise<Condition> {
    if (principal.roles.length === 0) return NONE;
    return allowed(await pdp.plan({ principal, resource: { kind: 'contact' }, actions: ['list'] }));
  }

  /**
   * A contact that a caller may act on. A missing one is decided as a blank one: a caller without permissions must not
   * learn which contacts exist.
   */
  async function permitted(principal: Principal, action: ContactAction, id: string): Promise<Contact> {
    const contact = store.get(id);
    const { name, email, owner, private: isPrivate } = contact ?? BLANK;
    await permit(principal, action, id, { name, email, owner, private: isPrivate });
    if (contact === undefined) throw notFound();
    return contact;
  }

  async function permit(principal: Principal, action: ContactAction, id: string, attr: ContactFields): Promise<void> {
    // Without a role nothing is allowed, and the PDP rejects such requests.
    const isAllowed =
      principal.roles.length > 0 &&
      (await pdp.isAllowed({ principal, resource: { kind: 'contact', id, attr }, action }));
    if (!isAllowed) throw new Refusal(403, 'Unauthorized');
  }
}

interface Id {
  readonly id: string;
}

type Query = { readonly [name: string]: unknown };

const NONE: Condition = allowed({ filter: { kind: 'KIND_ALWAYS_DENIED' } });
const BLANK: ContactFields = { name: '', email: '', owner: '', private: false };

function principalOf(request: FastifyRequest<object>): Principal {
  return request.getDecorator<Principal>('principal');
}

function notFound(): Refusal {
  return new Refusal(404, 'Contact not found');
}

/** Every failure is a status and `{ error }`. Details that are not for callers stay in the log. */
function answerError(
  error: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const answer = (status: number, text: string): void => void reply.code(status).send({ error: text });
  if (error instanceof Refusal) {
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return answer(error.status, error.message);
  }
  const { statusCode = 500 } = error;
  if (statusCode < 500) return answer(statusCode, error.message);
  request.log.error(error);
  // There is no decision. That is never an allow.
  if (error instanceof AuthzError) return answer(503, 'Permissions cannot be decided right now');
  return answer(500, 'Internal error');
}
