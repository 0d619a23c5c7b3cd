import {
  ACTION_SEARCH_EXAMPLES,
  EVALUATION_EXAMPLES,
  EVALUATIONS_EXAMPLES,
  RESOURCE_SEARCH_EXAMPLES,
  SUBJECT_SEARCH_EXAMPLES,
} from './examples/authzen.js';
import { CHECK_EXAMPLES } from './examples/checks.js';
import type { Example } from './examples/example.js';
import { CHECK_BATCH_EXAMPLES, CHECK_SET_EXAMPLES } from './examples/legacy-checks.js';
import { PLAN_EXAMPLES } from './examples/plans.js';
import { METADATA_EXAMPLES, SERVER_INFO_EXAMPLES } from './examples/server.js';

/** An RPC with one request and one response, and the REST path it is served on (docs/spec/server.md#endpoints). */
export interface Operation {
  /** The full name of its service. */
  readonly service: string;
  readonly method: string;
  readonly verb: 'get' | 'post';
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly examples: readonly Example[];
}

/** How the operations are grouped. */
export type Tag = 'Decisions' | 'AuthZEN' | 'Server' | 'Administration';

const AUTHZ = 'authz.svc.v1.AuthzService';
const AUTHZEN = 'authzen.authorization.v1.AuthorizationService';

export const OPERATIONS: readonly Operation[] = [
  {
    service: AUTHZ,
    method: 'CheckResources',
    verb: 'post',
    path: '/api/check/resources',
    tag: 'Decisions',
    summary: 'Check resources',
    examples: CHECK_EXAMPLES,
  },
  {
    service: AUTHZ,
    method: 'PlanResources',
    verb: 'post',
    path: '/api/plan/resources',
    tag: 'Decisions',
    summary: 'Plan a query',
    examples: PLAN_EXAMPLES,
  },
  {
    service: AUTHZ,
    method: 'CheckResourceSet',
    verb: 'post',
    path: '/api/check',
    tag: 'Decisions',
    summary: 'Check instances of one kind',
    examples: CHECK_SET_EXAMPLES,
  },
  {
    service: AUTHZ,
    method: 'CheckResourceBatch',
    verb: 'post',
    path: '/api/check_resource_batch',
    tag: 'Decisions',
    summary: 'Check a batch',
    examples: CHECK_BATCH_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'AccessEvaluation',
    verb: 'post',
    path: '/access/v1/evaluation',
    tag: 'AuthZEN',
    summary: 'Evaluate',
    examples: EVALUATION_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'AccessEvaluationBatch',
    verb: 'post',
    path: '/access/v1/evaluations',
    tag: 'AuthZEN',
    summary: 'Evaluate several',
    examples: EVALUATIONS_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'SubjectSearch',
    verb: 'post',
    path: '/access/v1/search/subject',
    tag: 'AuthZEN',
    summary: 'Search subjects',
    examples: SUBJECT_SEARCH_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'ResourceSearch',
    verb: 'post',
    path: '/access/v1/search/resource',
    tag: 'AuthZEN',
    summary: 'Search resources',
    examples: RESOURCE_SEARCH_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'ActionSearch',
    verb: 'post',
    path: '/access/v1/search/action',
    tag: 'AuthZEN',
    summary: 'Search actions',
    examples: ACTION_SEARCH_EXAMPLES,
  },
  {
    service: AUTHZEN,
    method: 'Metadata',
    verb: 'get',
    path: '/.well-known/authzen-configuration',
    tag: 'AuthZEN',
    summary: 'Where to ask',
    examples: METADATA_EXAMPLES,
  },
  {
    service: AUTHZ,
    method: 'ServerInfo',
    verb: 'get',
    path: '/api/server_info',
    tag: 'Server',
    summary: 'Which build answers',
    examples: SERVER_INFO_EXAMPLES,
  },
];
