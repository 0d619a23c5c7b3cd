import type { SubjectSearchRequest, SubjectSearchResponse } from '../../proto/gen/authzen-messages.js';
import { subjectSearchRequestViolations } from '../../proto/gen/validate/authorization.js';
import type { SearchService } from './authzen-search.js';
import type { Call } from './call.js';
import { accept } from './check-resources.js';
import { RpcError } from './rpc-error.js';

/** SubjectSearch: fails, as there are no subjects to search (docs/spec/server.md#authzen). Throws an RpcError. */
export function subjectSearch(
  service: SearchService,
  call: Call,
  request: SubjectSearchRequest,
): SubjectSearchResponse {
  accept(service, call, subjectSearchRequestViolations(request));
  throw new RpcError('unimplemented', NO_SUBJECTS);
}

const NO_SUBJECTS =
  'the server has no subjects to search: check the resource for the subjects that you know, or list them with a plan';
