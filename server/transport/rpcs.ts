import { encodeExplainDecisionResponse } from '../../proto/gen/wire/explain.js';
import { encodeListAuditLogEntriesResponse } from '../../proto/gen/wire/audit.js';
import {
  encodeGetRolloutResponse,
  encodePromoteBundleResponse,
  encodeRollBackBundleResponse,
  encodeSetRolloutResponse,
} from '../../proto/gen/wire/rollout.js';
import {
  encodeGetPolicyResponse,
  encodeGetSchemaResponse,
  encodeInspectPoliciesResponse,
} from '../../proto/gen/wire/policy.js';
import {
  printActionSearchResponse,
  printMetadataResponse,
  printResourceSearchResponse,
  printSubjectSearchResponse,
  readAccessEvaluationBatchRequest,
  readAccessEvaluationRequest,
  readActionSearchRequest,
  readMetadataRequest,
  readResourceSearchRequest,
  readSubjectSearchRequest,
} from '../../proto/gen/json/authorization.js';
import {
  printCheckResourceBatchResponse,
  printCheckResourceSetResponse,
  printCheckResourcesResponse,
  printListPoliciesResponse,
  printListSchemasResponse,
  printPlanResourcesResponse,
  printServerInfoResponse,
} from '../../proto/gen/json/response.js';
import {
  encodeCheckResourceBatchResponse,
  encodeCheckResourceSetResponse,
  encodeCheckResourcesResponse,
  encodeListPoliciesResponse,
  encodeListSchemasResponse,
  encodePlanResourcesResponse,
  encodeServerInfoResponse,
} from '../../proto/gen/wire/response.js';
import {
  readCheckResourceBatchRequest,
  readCheckResourceSetRequest,
  readCheckResourcesRequest,
  readExplainDecisionRequest,
  readGetPolicyRequest,
  readGetRolloutRequest,
  readListSourcesRequest,
  readGetSchemaRequest,
  readInspectPoliciesRequest,
  readListAuditLogEntriesRequest,
  readListPoliciesRequest,
  readListSchemasRequest,
  readPlanResourcesRequest,
  readPromoteBundleRequest,
  readReloadStoreRequest,
  readRollBackBundleRequest,
  readServerInfoRequest,
  readSetRolloutRequest,
} from '../../proto/gen/json/request.js';
import {
  accessEvaluationBatchRequestSize,
  accessEvaluationRequestSize,
  actionSearchRequestSize,
  decodeAccessEvaluationBatchRequest,
  decodeAccessEvaluationRequest,
  decodeActionSearchRequest,
  decodeMetadataRequest,
  decodeResourceSearchRequest,
  decodeSubjectSearchRequest,
  encodeAccessEvaluationBatchResponse,
  encodeAccessEvaluationResponse,
  encodeActionSearchResponse,
  encodeMetadataResponse,
  encodeResourceSearchResponse,
  encodeSubjectSearchResponse,
  resourceSearchRequestSize,
  subjectSearchRequestSize,
} from '../../proto/gen/wire/authorization.js';
import {
  checkResourceBatchRequestSize,
  checkResourceSetRequestSize,
  checkResourcesRequestSize,
  decodeCheckResourceBatchRequest,
  decodeCheckResourceSetRequest,
  decodeCheckResourcesRequest,
  decodeExplainDecisionRequest,
  decodeGetPolicyRequest,
  decodeGetRolloutRequest,
  decodeListSourcesRequest,
  decodeGetSchemaRequest,
  decodeInspectPoliciesRequest,
  explainDecisionRequestSize,
  getPolicyRequestSize,
  getSchemaRequestSize,
  inspectPoliciesRequestSize,
  listPoliciesRequestSize,
  decodeListAuditLogEntriesRequest,
  decodeListPoliciesRequest,
  decodeListSchemasRequest,
  decodePlanResourcesRequest,
  decodePromoteBundleRequest,
  decodeReloadStoreRequest,
  decodeRollBackBundleRequest,
  decodeServerInfoRequest,
  decodeSetRolloutRequest,
  planResourcesRequestSize,
  promoteBundleRequestSize,
  rollBackBundleRequestSize,
} from '../../proto/gen/wire/request.js';
import {
  printHealthCheckResponse,
  printHealthListResponse,
  readHealthCheckRequest,
  readHealthListRequest,
} from '../../proto/gen/json/health.js';
import {
  decodeHealthCheckRequest,
  decodeHealthListRequest,
  encodeHealthCheckResponse,
  encodeHealthListResponse,
} from '../../proto/gen/wire/health.js';
import { listRequestOfQuery } from '../admin/list-query.js';
import { getPolicy, idsOfQuery, inspectPolicies, listPolicies, policiesRequestOfQuery } from '../admin/policies.js';
import { getSchema, listSchemas, printGetSchemaResponse } from '../admin/schemas.js';
import { listSources } from '../admin/sources.js';
import { encodeListSourcesResponse } from '../../proto/gen/wire/sources.js';
import { getRollout, promoteBundle, rollBackBundle, setRollout } from '../admin/rollout.js';
import { reloadRequestOfQuery, reloadStore } from '../admin/reload-store.js';
import {
  ADMIN_SERVICE,
  AUTHZ_SERVICE,
  AUTHZEN_SERVICE,
  COMPILED_IN,
  HEALTH_SERVICE,
  listAuditLogEntries,
} from '../service/services.js';
import { accessEvaluation, authzenMetadata } from '../service/authzen.js';
import { actionSearch } from '../service/authzen-search.js';
import { accessEvaluationBatch } from '../service/authzen-batch.js';
import { checkResourceBatch, checkResourceSet } from '../service/legacy-checks.js';
import { checkResources } from '../service/check-resources.js';
import { explainDecision } from '../service/explain-decision.js';
import { planResources } from '../service/plan-resources.js';
import { resourceSearch } from '../service/resource-search.js';
import { serverInfo } from '../service/server-info.js';
import { subjectSearch } from '../service/subject-search.js';
import { printEvaluation, printEvaluations } from './alias-printing.js';
import type { RestRpc, Rpc, UnservedRpc } from './rpc.js';
import type { StreamRpc } from './stream-rpc.js';

/** The encoding of an empty message. */
const NO_FIELDS = Buffer.alloc(0);
/** AuthZEN callers use it to correlate their requests. */
const REQUEST_ID = 'X-Request-ID';
/** AuthZEN accepts no other media type for a request (its certification scenario, 2.4.3). */
const JSON_TYPE = 'application/json';

/**
 * The RPCs of this server (docs/spec/server.md#endpoints). REST, Connect, gRPC and gRPC-Web are all derived from these
 * rows.
 */
export const RPCS: readonly RestRpc[] = [
  row({
    service: AUTHZ_SERVICE,
    method: 'CheckResources',
    isHot: true,
    rest: { verb: 'POST', path: '/api/check/resources' },
    readJson: readCheckResourcesRequest,
    printJson: printCheckResourcesResponse,
    decode: decodeCheckResourcesRequest,
    encode: encodeCheckResourcesResponse,
    sizeOf: checkResourcesRequestSize,
    run: checkResources,
  }),
  row({
    service: AUTHZ_SERVICE,
    method: 'PlanResources',
    isHot: true,
    rest: { verb: 'POST', path: '/api/plan/resources' },
    readJson: readPlanResourcesRequest,
    printJson: printPlanResourcesResponse,
    decode: decodePlanResourcesRequest,
    encode: encodePlanResourcesResponse,
    sizeOf: planResourcesRequestSize,
    run: planResources,
  }),
  row({
    service: AUTHZ_SERVICE,
    method: 'CheckResourceSet',
    rest: { verb: 'POST', path: '/api/check' },
    readJson: readCheckResourceSetRequest,
    printJson: printCheckResourceSetResponse,
    decode: decodeCheckResourceSetRequest,
    encode: encodeCheckResourceSetResponse,
    sizeOf: checkResourceSetRequestSize,
    run: checkResourceSet,
  }),
  row({
    service: AUTHZ_SERVICE,
    method: 'CheckResourceBatch',
    rest: { verb: 'POST', path: '/api/check_resource_batch' },
    readJson: readCheckResourceBatchRequest,
    printJson: printCheckResourceBatchResponse,
    decode: decodeCheckResourceBatchRequest,
    encode: encodeCheckResourceBatchResponse,
    sizeOf: checkResourceBatchRequestSize,
    run: checkResourceBatch,
  }),
  row({
    service: AUTHZ_SERVICE,
    method: 'ServerInfo',
    rest: {
      verb: 'GET',
      path: '/api/server_info',
      headers: ({ bundleHash }) => ['Grpc-Metadata-Authz-Bundle-Hash', bundleHash],
    },
    readJson: readServerInfoRequest,
    printJson: printServerInfoResponse,
    // Over REST, the hash of the bundle is a header.
    printRestJson: (info) => printServerInfoResponse({ ...info, bundleHash: '', bundleProvenance: undefined }),
    decode: decodeServerInfoRequest,
    encode: encodeServerInfoResponse,
    sizeOf: () => 0,
    run: serverInfo,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'Metadata',
    rest: { verb: 'GET', path: '/.well-known/authzen-configuration', echo: REQUEST_ID },
    readJson: readMetadataRequest,
    printJson: printMetadataResponse,
    decode: decodeMetadataRequest,
    encode: encodeMetadataResponse,
    sizeOf: () => 0,
    run: authzenMetadata,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'AccessEvaluation',
    rest: { verb: 'POST', path: '/access/v1/evaluation', mediaType: JSON_TYPE, echo: REQUEST_ID },
    readJson: readAccessEvaluationRequest,
    printJson: printEvaluation,
    decode: decodeAccessEvaluationRequest,
    encode: encodeAccessEvaluationResponse,
    sizeOf: accessEvaluationRequestSize,
    run: accessEvaluation,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'AccessEvaluationBatch',
    rest: { verb: 'POST', path: '/access/v1/evaluations', mediaType: JSON_TYPE, echo: REQUEST_ID },
    readJson: readAccessEvaluationBatchRequest,
    printJson: printEvaluations,
    decode: decodeAccessEvaluationBatchRequest,
    encode: encodeAccessEvaluationBatchResponse,
    sizeOf: accessEvaluationBatchRequestSize,
    run: accessEvaluationBatch,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'SubjectSearch',
    rest: { verb: 'POST', path: '/access/v1/search/subject', mediaType: JSON_TYPE, echo: REQUEST_ID },
    readJson: readSubjectSearchRequest,
    printJson: printSubjectSearchResponse,
    decode: decodeSubjectSearchRequest,
    encode: encodeSubjectSearchResponse,
    sizeOf: subjectSearchRequestSize,
    run: subjectSearch,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'ResourceSearch',
    rest: { verb: 'POST', path: '/access/v1/search/resource', mediaType: JSON_TYPE, echo: REQUEST_ID },
    readJson: readResourceSearchRequest,
    printJson: printResourceSearchResponse,
    decode: decodeResourceSearchRequest,
    encode: encodeResourceSearchResponse,
    sizeOf: resourceSearchRequestSize,
    run: resourceSearch,
  }),
  row({
    service: AUTHZEN_SERVICE,
    method: 'ActionSearch',
    rest: { verb: 'POST', path: '/access/v1/search/action', mediaType: JSON_TYPE, echo: REQUEST_ID },
    readJson: readActionSearchRequest,
    printJson: printActionSearchResponse,
    decode: decodeActionSearchRequest,
    encode: encodeActionSearchResponse,
    sizeOf: actionSearchRequestSize,
    run: actionSearch,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'ExplainDecision',
    rest: { verb: 'POST', path: '/admin/explain/decision' },
    readJson: readExplainDecisionRequest,
    printJson: JSON.stringify,
    decode: decodeExplainDecisionRequest,
    encode: encodeExplainDecisionResponse,
    sizeOf: explainDecisionRequestSize,
    run: explainDecision,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'ListPolicies',
    rest: { verb: 'GET', path: '/admin/policies', read: policiesRequestOfQuery },
    readJson: readListPoliciesRequest,
    printJson: printListPoliciesResponse,
    decode: decodeListPoliciesRequest,
    encode: encodeListPoliciesResponse,
    sizeOf: listPoliciesRequestSize,
    run: listPolicies,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'GetPolicy',
    rest: { verb: 'GET', path: '/admin/policy', read: idsOfQuery },
    readJson: readGetPolicyRequest,
    printJson: JSON.stringify,
    decode: decodeGetPolicyRequest,
    encode: encodeGetPolicyResponse,
    sizeOf: getPolicyRequestSize,
    run: getPolicy,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'InspectPolicies',
    rest: { verb: 'GET', path: '/admin/policies/inspect', read: policiesRequestOfQuery },
    readJson: readInspectPoliciesRequest,
    printJson: JSON.stringify,
    decode: decodeInspectPoliciesRequest,
    encode: encodeInspectPoliciesResponse,
    sizeOf: inspectPoliciesRequestSize,
    run: inspectPolicies,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'GetSchema',
    rest: { verb: 'GET', path: '/admin/schema', read: idsOfQuery },
    readJson: readGetSchemaRequest,
    printJson: printGetSchemaResponse,
    decode: decodeGetSchemaRequest,
    encode: encodeGetSchemaResponse,
    sizeOf: getSchemaRequestSize,
    run: getSchema,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'ListSchemas',
    rest: { verb: 'GET', path: '/admin/schemas' },
    readJson: readListSchemasRequest,
    printJson: printListSchemasResponse,
    decode: decodeListSchemasRequest,
    encode: encodeListSchemasResponse,
    sizeOf: () => 0,
    run: listSchemas,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'ReloadStore',
    rest: { verb: 'GET', path: '/admin/store/reload', read: reloadRequestOfQuery },
    readJson: readReloadStoreRequest,
    printJson: () => '{}',
    decode: decodeReloadStoreRequest,
    encode: () => NO_FIELDS,
    sizeOf: () => 0,
    run: reloadStore,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'ListSources',
    rest: { verb: 'GET', path: '/admin/sources' },
    readJson: readListSourcesRequest,
    printJson: JSON.stringify,
    decode: decodeListSourcesRequest,
    encode: encodeListSourcesResponse,
    sizeOf: () => 0,
    run: listSources,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'GetRollout',
    rest: { verb: 'GET', path: '/admin/bundle/rollout' },
    readJson: readGetRolloutRequest,
    printJson: JSON.stringify,
    decode: decodeGetRolloutRequest,
    encode: encodeGetRolloutResponse,
    sizeOf: () => 0,
    run: getRollout,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'SetRollout',
    rest: { verb: 'POST', path: '/admin/bundle/rollout' },
    readJson: readSetRolloutRequest,
    printJson: JSON.stringify,
    decode: decodeSetRolloutRequest,
    encode: encodeSetRolloutResponse,
    sizeOf: () => 0,
    run: setRollout,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'PromoteBundle',
    rest: { verb: 'POST', path: '/admin/bundle/promote' },
    readJson: readPromoteBundleRequest,
    printJson: JSON.stringify,
    decode: decodePromoteBundleRequest,
    encode: encodePromoteBundleResponse,
    sizeOf: promoteBundleRequestSize,
    run: promoteBundle,
  }),
  row({
    service: ADMIN_SERVICE,
    method: 'RollBackBundle',
    rest: { verb: 'POST', path: '/admin/bundle/roll_back' },
    readJson: readRollBackBundleRequest,
    printJson: JSON.stringify,
    decode: decodeRollBackBundleRequest,
    encode: encodeRollBackBundleResponse,
    sizeOf: rollBackBundleRequestSize,
    run: rollBackBundle,
  }),
];

/**
 * RPCs about the server itself, which are not reported to watchers: they are neither logged nor audited. Over REST,
 * health is different (docs/spec/server.md#health).
 */
export const UNWATCHED_RPCS: readonly Rpc[] = [
  unwatchedRow({
    service: HEALTH_SERVICE,
    method: 'Check',
    readJson: readHealthCheckRequest,
    printJson: printHealthCheckResponse,
    decode: decodeHealthCheckRequest,
    encode: encodeHealthCheckResponse,
    sizeOf: () => 0,
    run: ({ health }, _call, { service }) => health.check(service),
  }),
  unwatchedRow({
    service: HEALTH_SERVICE,
    method: 'List',
    readJson: readHealthListRequest,
    printJson: printHealthListResponse,
    decode: decodeHealthListRequest,
    encode: encodeHealthListResponse,
    sizeOf: () => 0,
    run: ({ health }) => health.all(),
  }),
];

/** The RPCs with a stream of responses (docs/spec/server.md#endpoints). These are not reported to watchers either. */
export const STREAM_RPCS: readonly StreamRpc[] = [
  streamRow({
    service: ADMIN_SERVICE,
    method: 'ListAuditLogEntries',
    rest: { path: '/admin/auditlog/list/:kind', read: ({ kind = '' }, query) => listRequestOfQuery(kind, query) },
    readJson: readListAuditLogEntriesRequest,
    // Entries are kept in their JSON form.
    printJson: JSON.stringify,
    decode: decodeListAuditLogEntriesRequest,
    encode: encodeListAuditLogEntriesResponse,
    run: listAuditLogEntries,
  }),
  streamRow({
    service: HEALTH_SERVICE,
    method: 'Watch',
    readJson: readHealthCheckRequest,
    printJson: printHealthCheckResponse,
    decode: decodeHealthCheckRequest,
    encode: encodeHealthCheckResponse,
    run: ({ health }, { gone }, read) => health.watch(read().service, gone),
  }),
];

/** The RPCs of the admin API that would change policies and schemas. */
export const UNSERVED_RPCS: readonly UnservedRpc[] = [
  { service: ADMIN_SERVICE, method: 'AddOrUpdatePolicy', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'DeletePolicy', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'DisablePolicy', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'EnablePolicy', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'AddOrUpdateSchema', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'DeleteSchema', reason: COMPILED_IN },
  { service: ADMIN_SERVICE, method: 'PurgeStoreRevisions', reason: COMPILED_IN },
];

/** The services of all tables. */
export const RPC_SERVICES: readonly string[] = [
  ...new Set([...RPCS, ...UNWATCHED_RPCS, ...STREAM_RPCS, ...UNSERVED_RPCS].map(({ service }) => service)),
];

/** Hides the types of a row's messages, which only its own functions see. */
function row<Request, Response>(rpc: RestRpc<Request, Response>): RestRpc {
  return rpc as unknown as RestRpc;
}

function unwatchedRow<Request, Response>(rpc: Rpc<Request, Response>): Rpc {
  return rpc as unknown as Rpc;
}

function streamRow<Request, Response>(rpc: StreamRpc<Request, Response>): StreamRpc {
  return rpc as unknown as StreamRpc;
}
