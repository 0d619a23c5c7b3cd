/** Guards for procedures of tRPC. */
import { TRPCError, type TRPCMiddlewareFunction } from '@trpc/server';
import type { ActionOf, AnyPermissions, KindOf, Permissions } from '../client/index.js';
import { type Decision, decide, type GuardSettings, describeRefusal, type Question, type Refusal } from './guard.js';

export type { Decision, GuardSettings, Question, Refusal } from './guard.js';

/** What is known about a call of a procedure. */
export interface ProcedureCall<Context, Input> {
  readonly ctx: Context;
  /** The input, as far as the parsers before the guard have read it. */
  readonly input: Input;
}

/** The settings of guards for tRPC. Without an answer, the error has that of the client as its cause. */
export type TrpcGuardSettings<P extends Permissions, Context> = GuardSettings<P, { readonly ctx: Context }>;

/**
 * Makes middleware for `procedure.use(...)`, which lets a call pass if an action is allowed. The decision is
 * `ctx.authz`.
 */
export type TrpcGuard<P extends Permissions, Context> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  Input,
  B extends ActionOf<P, K> = never,
>(
  question: Question<P, ProcedureCall<Context, Input>, K, A, B>,
) => (call: GuardedCall<Context, Input, Decision<P, K, A | B>>) => GuardedResult<Decision<P, K, A | B>>;

/** The part that a guard uses of what tRPC passes to middleware. */
export interface GuardedCall<Context, Input, D> extends ProcedureCall<Context, Input> {
  readonly signal?: AbortSignal | undefined;
  readonly next: (options: { ctx: { authz: D } }) => GuardedResult<D>;
}

/** What middleware returns, from which tRPC infers what it adds to the context. */
export type GuardedResult<D> = ReturnType<TRPCMiddlewareFunction<object, object, object, { authz: D }, unknown>>;

/**
 * Creates the function that makes the guards of a router. A call that is aborted ends that of the client.
 *
 * @example
 * import { initTRPC } from '@trpc/server';
 * import { inProcessClient, type PrincipalOf } from 'authz/client';
 * import { trpcGuard } from 'authz/middleware/trpc';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * interface Context {
 *   readonly principal: PrincipalOf<Policies> | undefined;
 * }
 * const t = initTRPC.context<Context>().create();
 * const guard = trpcGuard<Policies, Context>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: ({ ctx }) => ctx.principal,
 * });
 * const mayEdit = guard({
 *   action: 'edit',
 *   resource: () => album,
 * });
 * const router = t.router({ album: t.procedure.use(mayEdit).query(({ ctx }) => ctx.authz.resource.id) });
 * const call = t.createCallerFactory(router);
 * console.log(await call({ principal: { id: 'ann', roles: ['user'] } }).album()); // => a1
 */
export function trpcGuard<P extends Permissions = AnyPermissions, Context = object>(
  settings: TrpcGuardSettings<P, Context>,
): TrpcGuard<P, Context> {
  return (question) =>
    async ({ ctx, input, signal, next }) => {
      const { decision, refusal } = await decide(settings, question, { ctx, input }, { signal });
      if (refusal !== undefined) throw makeError(refusal);
      return next({ ctx: { authz: decision } });
    };
}

const CODES = {
  unauthenticated: 'UNAUTHORIZED',
  denied: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  no_answer: 'SERVICE_UNAVAILABLE',
} as const;

function makeError(refusal: Refusal): TRPCError {
  return new TRPCError({ code: CODES[refusal.reason], message: describeRefusal(refusal), cause: refusal.error });
}
