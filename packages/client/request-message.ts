import type {
  Actor,
  AuxData as AuxDataMessage,
  CheckResourcesRequest,
  PlanResourcesRequest,
  Principal,
  RequestContext,
  Resource,
  Token as TokenMessage,
} from '../../proto/gen/messages.js';
import type { AuxData, RequestExtras, Token } from './authz-client.js';
import { plainAttributes, plainText } from '../cel/runtime/plain-json.js';
import { AuthzError } from './authz-error.js';

/** A request about resources, without type parameters. */
export interface CheckQuestion extends RequestExtras {
  readonly principal: PrincipalLike;
  readonly resources: readonly { readonly resource: ResourceLike; readonly actions: readonly string[] }[];
  readonly includeMeta?: boolean | undefined;
}

/** A request about resources that are not known yet. */
export interface PlanQuestion extends RequestExtras {
  readonly principal: PrincipalLike;
  readonly resource: Omit<ResourceLike, 'id'>;
  readonly actions: readonly string[];
  readonly includeMeta?: boolean | undefined;
}

/** The message of a check. Throws an AuthzError for values that a message cannot hold. */
export function checkMessage(question: CheckQuestion): CheckResourcesRequest {
  return {
    requestId: text(question.requestId, 'requestId'),
    includeMeta: question.includeMeta === true,
    principal: principalMessage(question.principal),
    resources: resourcesMessage(question.resources),
    auxData: auxDataMessage(question.auxData),
    requestContext: contextMessage(question.annotations),
  };
}

/** What all questions of one caller have in common. */
export type CallerMessage = Omit<CheckResourcesRequest, 'includeMeta' | 'resources'>;

/** A copy of a principal and of what is sent with it. Throws like `checkMessage`. */
export function callerMessage(caller: RequestExtras & { readonly principal: PrincipalLike }): CallerMessage {
  return {
    requestId: text(caller.requestId, 'requestId'),
    principal: principalMessage(caller.principal),
    auxData: auxDataMessage(caller.auxData),
    requestContext: contextMessage(caller.annotations),
  };
}

/** A question of a caller about one action. Throws like `checkMessage`. */
export function callerQuestion(caller: CallerMessage, action: string, resource: ResourceLike): CheckResourcesRequest {
  return { ...caller, includeMeta: false, resources: resourcesMessage([{ resource, actions: [action] }]) };
}

function resourcesMessage(resources: CheckQuestion['resources']): CheckResourcesRequest['resources'] {
  return list(resources, 'resources').map((entry, index) => ({
    actions: texts(entry?.actions, `resources[${index}].actions`),
    resource: resourceMessage(entry?.resource, `resources[${index}].resource`),
  }));
}

/** The message of a plan. Throws like `checkMessage`. */
export function planMessage(question: PlanQuestion): PlanResourcesRequest {
  const { id: _, ...resource } = resourceMessage({ ...question.resource, id: '' }, 'resource');
  return {
    requestId: text(question.requestId, 'requestId'),
    action: '',
    actions: texts(question.actions, 'actions'),
    principal: principalMessage(question.principal),
    resource,
    auxData: auxDataMessage(question.auxData),
    includeMeta: question.includeMeta === true,
    requestContext: contextMessage(question.annotations),
  };
}

export interface PrincipalLike {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: object | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
  readonly actors?: readonly Omit<PrincipalLike, 'actors'>[] | undefined;
}

export interface ResourceLike {
  readonly kind: string;
  readonly id: string;
  readonly attr?: object | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

function principalMessage(principal: PrincipalLike): Principal {
  return {
    ...actorMessage(principal, 'principal'),
    actors: list(principal?.actors, 'principal.actors').map((actor, index) => {
      const path = `principal.actors[${index}]`;
      // A server refuses the unknown field; dropping it would widen what is asked.
      if (list((actor as PrincipalLike)?.actors, `${path}.actors`).length > 0)
        throw new AuthzError('invalid_argument', `${path} has actors; list them one after the other`);
      return actorMessage(actor, path);
    }),
  };
}

function actorMessage(actor: PrincipalLike, path: string): Actor {
  return {
    id: text(actor?.id, `${path}.id`),
    policyVersion: text(actor?.policyVersion, `${path}.policyVersion`),
    roles: texts(actor?.roles, `${path}.roles`),
    attr: plainAttributes(actor?.attr, `${path}.attr`),
    scope: text(actor?.scope, `${path}.scope`),
  };
}

function resourceMessage(resource: ResourceLike | undefined, path: string): Resource {
  return {
    kind: text(resource?.kind, `${path}.kind`),
    policyVersion: text(resource?.policyVersion, `${path}.policyVersion`),
    id: text(resource?.id, `${path}.id`),
    attr: plainAttributes(resource?.attr, `${path}.attr`),
    scope: text(resource?.scope, `${path}.scope`),
  };
}

function auxDataMessage(auxData: AuxData | undefined): AuxDataMessage | undefined {
  if (auxData === undefined) return undefined;
  const jwts = Object.entries(auxData.jwts ?? {}).map(
    ([name, token]) => [plainText(name, 'auxData.jwts'), tokenMessage(token, `auxData.jwts.${name}`)] as const,
  );
  return { jwt: auxData.jwt === undefined ? undefined : tokenMessage(auxData.jwt, 'auxData.jwt'), jwts: new Map(jwts) };
}

function tokenMessage(token: Token, path: string): TokenMessage {
  return { token: text(token?.token, `${path}.token`), keySetId: text(token?.keySetId, `${path}.keySetId`) };
}

function contextMessage(annotations: RequestExtras['annotations']): RequestContext | undefined {
  return annotations === undefined ? undefined : { annotations: plainAttributes(annotations, 'annotations') };
}

function texts(values: readonly string[], path: string): readonly string[] {
  return list(values, path).map((value, index) => text(value ?? null, `${path}[${index}]`));
}

/** An absent value is empty, which validation refuses; untyped programs may pass other types as well. */
function text(value: unknown, path: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return plainText(value, path);
  throw new AuthzError('invalid_argument', `${path} is not a string`);
}

function list<T>(values: readonly T[] | undefined, path: string): readonly T[] {
  if (values === undefined) return [];
  if (Array.isArray(values)) return values;
  throw new AuthzError('invalid_argument', `${path} is not an array`);
}
