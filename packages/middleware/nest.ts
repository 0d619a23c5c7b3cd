/** Guards for Nest. */
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  ForbiddenException,
  type HttpException,
  NotFoundException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import type { ActionOf, AnyPermissions, KindOf, Permissions } from '../client/index.js';
import { makeBody, decide, type GuardSettings, makeHeaders, type Question, type Refusal } from './guard.js';

export type { Decision, GuardSettings, Question, Refusal } from './guard.js';

/** The settings of guards for Nest. Without an answer, the exception has the error of the client as its cause. */
export type NestGuardSettings<P extends Permissions> = GuardSettings<P, ExecutionContext>;

/** Makes a guard for `@UseGuards`, which lets a request pass if an action is allowed. */
export type NestGuard<P extends Permissions> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
>(
  question: Question<P, ExecutionContext, K, A, B>,
) => CanActivate;

/**
 * Creates the function that makes the guards of an application. Refusals are the HTTP exceptions of Nest, so exception
 * filters can write them.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { nestGuard } from 'authz/middleware/nest';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * const guard = nestGuard<Policies>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: (context) => context.switchToHttp().getRequest().user,
 * });
 * // Above a method of a controller: @UseGuards(mayEdit)
 * const mayEdit = guard({
 *   action: 'edit',
 *   resource: () => album,
 * });
 * const context = { switchToHttp: () => ({ getRequest: () => ({ user: { id: 'ann', roles: ['user'] } }) }) };
 * console.log(await mayEdit.canActivate(context as never)); // => true
 */
export function nestGuard<P extends Permissions = AnyPermissions>(settings: NestGuardSettings<P>): NestGuard<P> {
  return (question) => ({
    canActivate: async (context) => {
      const { decision, refusal } = await decide(settings, question, context);
      const isHttp = context.getType() === 'http';
      if (refusal !== undefined) {
        if (isHttp) setHeaders(context.switchToHttp().getResponse<HttpResponse>(), refusal);
        throw makeException(refusal);
      }
      if (isHttp) {
        context.switchToHttp().getRequest<Decided>().authz = decision;
        // Views of Express find it here.
        const { locals } = context.switchToHttp().getResponse<HttpResponse>();
        if (locals !== undefined) locals['authz'] = decision;
      }
      return true;
    },
  });
}

/** The parameter of a handler that receives the decision of its guard: `@AuthzDecision() decision: Decision`. */
export const AuthzDecision = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Decided>().authz,
);

interface Decided {
  authz?: unknown;
}

/** The part on which the responses of Express and the replies of Fastify agree. */
interface HttpResponse {
  header(name: string, value: string): unknown;
  readonly locals?: Record<string, unknown>;
}

function setHeaders(response: HttpResponse, refusal: Refusal): void {
  for (const [name, value] of Object.entries(makeHeaders(refusal))) response.header(name, value);
}

const EXCEPTIONS = {
  unauthenticated: UnauthorizedException,
  denied: ForbiddenException,
  not_found: NotFoundException,
  no_answer: ServiceUnavailableException,
} as const;

function makeException(refusal: Refusal): HttpException {
  return new EXCEPTIONS[refusal.reason](makeBody(refusal), { cause: refusal.error });
}
