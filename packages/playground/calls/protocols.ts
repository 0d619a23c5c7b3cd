import { explainAnswer } from '../answers/explain-answer.js';
import { checkAnswer } from '../answers/check-answer.js';
import { evaluationsAnswer } from '../answers/evaluations-answer.js';
import { planAnswer } from '../answers/plan-answer.js';
import { at, toItems, type Json, type JsonObject, toMembers, textOf } from '../json.js';

/** A way to send the request of an operation. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Below the address of the server, without a slash at the start. */
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  /** The body for a request as REST has it; by default the same. */
  readonly write?: (request: Json) => Json;
  /** Shows the response to what was written. */
  readonly answer: (body: Json, written: Json) => HTMLElement;
  /** The client that sends it in TypeScript, and its method; without one it is sent by `fetch`. */
  readonly client?: { readonly create: string; readonly method: string };
}

const CONNECT = { name: 'connect', title: 'Connect', headers: { 'connect-protocol-version': '1' } };

export const CHECK_PROTOCOLS: readonly [Protocol, ...Protocol[]] = [
  {
    name: 'rest',
    title: 'REST',
    path: 'api/check/resources',
    answer: checkAnswer,
    client: { create: 'restClient', method: 'checkAll' },
  },
  {
    ...CONNECT,
    path: 'authz.svc.v1.AuthzService/CheckResources',
    answer: checkAnswer,
    client: { create: 'connectClient', method: 'checkAll' },
  },
  {
    name: 'authzen',
    title: 'AuthZEN',
    path: 'access/v1/evaluations',
    write: toEvaluations,
    answer: evaluationsAnswer,
  },
];

export const PLAN_PROTOCOLS: readonly [Protocol, ...Protocol[]] = [
  {
    name: 'rest',
    title: 'REST',
    path: 'api/plan/resources',
    answer: planAnswer,
    client: { create: 'restClient', method: 'plan' },
  },
  {
    ...CONNECT,
    path: 'authz.svc.v1.AuthzService/PlanResources',
    answer: planAnswer,
    client: { create: 'connectClient', method: 'plan' },
  },
];

export const EXPLAIN_PROTOCOLS: readonly [Protocol, ...Protocol[]] = [
  { name: 'rest', title: 'REST', path: 'admin/explain/decision', answer: explainAnswer },
  { ...CONNECT, path: 'authz.svc.v1.AuthzAdminService/ExplainDecision', answer: explainAnswer },
];

/** A check in the terms of AuthZEN: an evaluation for each action on each resource. */
function toEvaluations(request: Json): Json {
  const principal = at(request, ['principal']);
  const roles = toItems(at(principal, ['roles']));
  const context = withoutAbsent({
    'authz.requestId': at(request, ['requestId']),
    'authz.includeMeta': at(request, ['includeMeta']),
    'authz.auxData': at(request, ['auxData']),
  });
  return {
    subject: {
      type: textOf(roles[0]),
      id: at(principal, ['id']) ?? '',
      properties: { ...toProperties(principal), 'authz.roles': roles },
    },
    ...(Object.keys(context).length > 0 && { context }),
    evaluations: toItems(at(request, ['resources'])).flatMap((entry) => {
      const resource = at(entry, ['resource']);
      return toItems(at(entry, ['actions'])).map((action) => ({
        resource: {
          type: at(resource, ['kind']) ?? '',
          id: at(resource, ['id']) ?? '',
          properties: toProperties(resource),
        },
        action: { name: action },
      }));
    }),
  };
}

/** Attributes are properties, and so are version and scope. */
function toProperties(of: Json | undefined): JsonObject {
  return {
    ...Object.fromEntries(toMembers(at(of, ['attr']))),
    ...withoutAbsent({ 'authz.policyVersion': at(of, ['policyVersion']), 'authz.scope': at(of, ['scope']) }),
  };
}

function withoutAbsent(members: { readonly [name: string]: Json | undefined }): JsonObject {
  const present = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(present);
}
