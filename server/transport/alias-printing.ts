import type { AccessEvaluationBatchResponse } from '../../proto/gen/authzen-messages.js';
import {
  printAccessEvaluationBatchResponse,
  printAccessEvaluationResponse,
} from '../../proto/gen/json/authorization.js';
import { printCheckResourcesResponse } from '../../proto/gen/json/response.js';
import type { AliasConfig } from '../config/aliases.js';
import type { AnsweredEvaluation } from '../service/authzen.js';
import type { RestRpc, Rpc } from './rpc.js';

type Print = Rpc['printJson'];

/**
 * Prints REST responses, whose paths are the same under every name: the call id has the field of each alias too. Without
 * aliases, this is the printer of the RPC.
 */
export function restPrinter(rpc: RestRpc, aliases: readonly AliasConfig[] = []): Print {
  const print = rpc.printRestJson ?? rpc.printJson;
  if (aliases.length === 0) return print;
  const fields = aliases.map(({ callIdField }) => callIdField);
  return (response) => withFields(print(response), fields, readCallId(response));
}

/** Prints Connect responses under the name of an alias: the call id has its field only. */
export function aliasPrinter({ printJson }: Rpc, { callIdField }: AliasConfig): Print {
  return (response) => {
    const id = readCallId(response);
    if (id === '') return printJson(response);
    return withFields(printJson({ ...(response as object), authzCallId: '' }), [callIdField], id);
  };
}

/** Prints the evaluations of AuthZEN: what decided has the prefix of the request. */
export function printEvaluation(response: AnsweredEvaluation): string {
  if (response.prefix === undefined) return printAccessEvaluationResponse(response);
  return withContext(printAccessEvaluationResponse({ ...response, response: undefined }), response);
}

/** The same for a batch, or for the one evaluation that it may be instead. */
export function printEvaluations(response: AccessEvaluationBatchResponse & Pick<AnsweredEvaluation, 'prefix'>): string {
  const evaluations = response.evaluations as readonly AnsweredEvaluation[];
  if (evaluations.some(({ prefix }) => prefix !== undefined))
    return `{"evaluations":[${evaluations.map(printEvaluation).join(',')}]}`;
  if (response.prefix === undefined) return printAccessEvaluationBatchResponse(response);
  return withContext(printAccessEvaluationBatchResponse({ ...response, response: undefined }), response);
}

function withContext(json: string, { prefix, response }: Pick<AnsweredEvaluation, 'prefix' | 'response'>): string {
  if (response === undefined) return json;
  return `${json.slice(0, -1)},"context":{"${prefix}.response":${printCheckResourcesResponse(response)}}}`;
}

function readCallId(response: unknown): string {
  return (response as { readonly authzCallId?: string }).authzCallId ?? '';
}

/** Call ids and names of fields need no escapes. */
function withFields(json: string, fields: readonly string[], id: string): string {
  if (id === '') return json;
  const added = fields.map((field) => `"${field}":"${id}"`).join(',');
  return `${json.slice(0, -1)}${json === '{}' ? '' : ','}${added}}`;
}
