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
import { bodyOf, decide, type GuardSettings, headersOf, type Question, type Refusal } from './guard.js';

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
 */
export function nestGuard<P extends Permissions = AnyPermissions>(settings: NestGuardSettings<P>): NestGuard<P> {
  return (question) => ({
    canActivate: async (context) => {
      const { decision, refusal } = await decide(settings, question, context);
      const isHttp = context.getType() === 'http';
      if (refusal !== undefined) {
        if (isHttp) setHeaders(context.switchToHttp().getResponse<HttpResponse>(), refusal);
        throw exceptionOf(refusal);
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

/** As far as the responses of Express and the replies of Fastify agree. */
interface HttpResponse {
  header(name: string, value: string): unknown;
  readonly locals?: Record<string, unknown>;
}

function setHeaders(response: HttpResponse, refusal: Refusal): void {
  for (const [name, value] of Object.entries(headersOf(refusal))) response.header(name, value);
}

const EXCEPTIONS = {
  unauthenticated: UnauthorizedException,
  denied: ForbiddenException,
  not_found: NotFoundException,
  no_answer: ServiceUnavailableException,
} as const;

function exceptionOf(refusal: Refusal): HttpException {
  return new EXCEPTIONS[refusal.reason](bodyOf(refusal), { cause: refusal.error });
}
