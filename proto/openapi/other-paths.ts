import { describeErrors, describeExamples, goodAnswer } from './answers.js';
import { AUDIT_EXAMPLES } from './examples/audit.js';
import { EXPLAIN_EXAMPLES } from './examples/explanations.js';
import type { Example } from './examples/example.js';
import {
  GET_ROLLOUT_EXAMPLES,
  PROMOTE_EXAMPLES,
  ROLL_BACK_EXAMPLES,
  SET_ROLLOUT_EXAMPLES,
} from './examples/rollout.js';
import { HEALTH_EXAMPLES } from './examples/server.js';
import { SOURCES_EXAMPLES } from './examples/sources.js';
import type { JsonObject } from '../wire/json-shape.js';
import { PRETTY } from './rpc-paths.js';
import type { Schemas } from './schemas.js';

const LISTING = 'authz.request.v1.ListAuditLogEntriesRequest';

/** The paths that are no simple RPC: health, metrics, the audit log, this document. */
export function otherPaths(schemas: Schemas): JsonObject {
  return {
    '/_authz/health': { get: health() },
    '/_authz/live': { get: live() },
    '/_authz/metrics': { get: metrics() },
    '/admin/auditlog/list/{kind}': { get: auditListing(schemas) },
    '/admin/bundle/promote': {
      post: rolloutOperation(schemas, 'PromoteBundle', 'Make the candidate the current bundle', PROMOTE_EXAMPLES),
    },
    '/admin/bundle/roll_back': {
      post: rolloutOperation(schemas, 'RollBackBundle', 'Drop the candidate, or go back', ROLL_BACK_EXAMPLES),
    },
    '/admin/bundle/rollout': {
      get: rolloutOperation(schemas, 'GetRollout', 'Which bundles the server has', GET_ROLLOUT_EXAMPLES),
      post: rolloutOperation(schemas, 'SetRollout', 'Move the candidate to another stage', SET_ROLLOUT_EXAMPLES),
    },
    '/admin/sources': {
      get: rolloutOperation(schemas, 'ListSources', 'What became of the sources of facts', SOURCES_EXAMPLES),
    },
    '/admin/explain/decision': { post: explanation(schemas) },
    '/schema/swagger.json': { get: ownDocument() },
  };
}

function health(): JsonObject {
  return {
    tags: ['Server'],
    operationId: 'Health',
    summary: 'Whether the server serves',
    parameters: [
      {
        name: 'service',
        in: 'query',
        description: 'The full name of a service; absent: the whole server.',
        schema: { type: 'string' },
        example: 'authz.svc.v1.AuthzService',
      },
      PRETTY,
    ],
    responses: {
      200: goodAnswer(
        'It serves.',
        { type: 'object', properties: { status: { type: 'string', enum: ['SERVING'] } }, required: ['status'] },
        HEALTH_EXAMPLES,
      ),
      ...describeErrors(['UnknownService', 'Stopping']),
    },
  };
}

function live(): JsonObject {
  const example = { status: 'LIVE' };
  return {
    tags: ['Server'],
    operationId: 'Live',
    summary: 'Whether the event loop of every process turns',
    description: 'For liveness probes: unlike health, it is well while the server stops.',
    parameters: [PRETTY],
    responses: {
      200: {
        description: 'They turn.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { status: { type: 'string', enum: ['LIVE'] } },
              required: ['status'],
            },
            example,
          },
        },
      },
      503: {
        description: 'A worker is stuck.',
        content: {
          'application/json': { schema: { type: 'object' }, example: { code: 14, message: 'a worker is stuck' } },
        },
      },
    },
  };
}

function metrics(): JsonObject {
  const example =
    '# HELP authz_check_duration_seconds How long the engine took for a check.\n# TYPE authz_check_duration_seconds histogram\n';
  return {
    tags: ['Server'],
    operationId: 'Metrics',
    summary: 'Metrics of Prometheus',
    description: 'Not there when `server.metricsEnabled` is off.',
    responses: {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: { type: 'string' }, example } },
      },
      404: NO_SUCH_PATH,
    },
  };
}

function auditListing(schemas: Schemas): JsonObject {
  const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
    name,
    in: 'query',
    description,
    schema,
  });
  const entry: JsonObject = {
    type: 'object',
    properties: { result: schemas.reference('authz.response.v1.ListAuditLogEntriesResponse', 'response') },
    required: ['result'],
  };
  return {
    tags: ['Administration'],
    operationId: 'ListAuditLogEntries',
    summary: 'Look into the audit log',
    description:
      'Exactly one filter: `tail`, `between`, `since` or `lookup`. There is an answer a line, as soon as it is found; wants an audit backend that can be asked.',
    security: [{ admin: [] }],
    parameters: [
      {
        name: 'kind',
        in: 'path',
        required: true,
        description: 'Which entries.',
        schema: schemas.parameter(LISTING, 'kind'),
        example: 'KIND_DECISION',
      },
      query('tail', 'The last so many.', schemas.parameter(LISTING, 'tail')),
      query('between.start', 'From here on, with `between.end`.', schemas.parameter(`${LISTING}.TimeRange`, 'start')),
      query('between.end', 'Up to here.', schemas.parameter(`${LISTING}.TimeRange`, 'end')),
      query('since', 'Of so long a time until now.', schemas.parameter(LISTING, 'since')),
      query('lookup', 'Of one call, by its id.', schemas.parameter(LISTING, 'lookup')),
    ],
    responses: {
      200: goodAnswer('Entries, one a line.', entry, AUDIT_EXAMPLES, 'application/x-ndjson'),
      ...describeErrors(['BadRequest', 'Unauthenticated', 'AdminOff']),
    },
  };
}

function explanation(schemas: Schemas): JsonObject {
  return {
    tags: ['Administration'],
    operationId: 'ExplainDecision',
    summary: 'Explain a decision',
    description:
      'Why an action is allowed or denied: the rules, each part of their conditions, and the smallest changes that turn the decision. Requires `server.explain.enabled`, and a bundle that was compiled with `--explain`.',
    security: [{ admin: [] }],
    parameters: [PRETTY],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemas.reference('authz.request.v1.ExplainDecisionRequest', 'request'),
          examples: describeExamples(
            EXPLAIN_EXAMPLES.map(({ request = null, ...rest }) => ({ ...rest, value: request })),
          ),
        },
      },
    },
    responses: {
      200: goodAnswer(
        'The explanation.',
        schemas.reference('authz.response.v1.ExplainDecisionResponse', 'response'),
        EXPLAIN_EXAMPLES,
      ),
      ...describeErrors(['BadRequest', 'Unauthenticated', 'AdminOff', 'TooLarge', 'TooLate']),
    },
  };
}

function rolloutOperation(schemas: Schemas, method: string, summary: string, examples: readonly Example[]): JsonObject {
  const requests = examples.flatMap(({ request, ...rest }) =>
    request === undefined ? [] : [{ ...rest, value: request }],
  );
  return {
    tags: ['Administration'],
    operationId: method,
    summary,
    security: [{ admin: [] }],
    parameters: [PRETTY],
    ...(requests.length > 0 && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemas.reference(`authz.request.v1.${method}Request`, 'request'),
            examples: describeExamples(requests),
          },
        },
      },
    }),
    responses: {
      200: goodAnswer(
        'The state after the call.',
        schemas.reference(`authz.response.v1.${method}Response`, 'response'),
        examples,
      ),
      ...describeErrors(
        requests.length > 0 ? ['BadRequest', 'Unauthenticated', 'AdminOff'] : ['Unauthenticated', 'AdminOff'],
      ),
    },
  };
}

function ownDocument(): JsonObject {
  const content = { 'application/json': { schema: { type: 'object' } } };
  return {
    tags: ['Server'],
    operationId: 'OpenApi',
    summary: 'This document',
    responses: { 200: { description: 'OpenAPI 3.1.', content } },
  };
}

const NO_SUCH_PATH: JsonObject = {
  description: 'There is no such path.',
  content: { 'text/plain': { schema: { type: 'string' }, example: '404 page not found\n' } },
};
