import type { AccessEvaluationBatchRequest, AccessEvaluationRequest } from '../authzen-messages.js';
import { readJsonEntry } from './json-value.js';
import type { TextTable } from './text-table.js';
import { BYTES, WireReader } from './wire-reader.js';

/** AccessEvaluationRequest from its protobuf encoding. Throws a WireError. */
export function decodeAccessEvaluationRequest(bytes: Buffer, texts?: TextTable): AccessEvaluationRequest {
  const reader = new WireReader(bytes, texts);
  const request = evaluation();
  readEvaluationFields(reader, bytes.length, request);
  return request;
}

/** AccessEvaluationBatchRequest from its protobuf encoding. Throws a WireError. */
export function decodeAccessEvaluationBatchRequest(bytes: Buffer, texts?: TextTable): AccessEvaluationBatchRequest {
  const reader = new WireReader(bytes, texts);
  const evaluations: EvaluationDraft[] = [];
  const request: BatchDraft = { ...evaluation(), evaluations, options: undefined };
  readEvaluationFields(reader, bytes.length, request, (tag) => {
    if (tag === ((5 << 3) | BYTES)) {
      const one = evaluation();
      readEvaluationFields(reader, reader.messageEnd(), one);
      evaluations.push(one);
    } else if (tag === ((6 << 3) | BYTES)) {
      request.options = readOptions(reader, request.options);
    } else {
      reader.skip(tag);
    }
  });
  return request;
}

interface EvaluationDraft {
  subject: EntityDraft | undefined;
  resource: EntityDraft | undefined;
  action: ActionDraft | undefined;
  context: Record<string, unknown>;
}

interface BatchDraft extends EvaluationDraft {
  evaluations: EvaluationDraft[];
  options: OptionsDraft | undefined;
}

interface EntityDraft {
  type: string;
  id: string;
  properties: Record<string, unknown>;
}

interface ActionDraft {
  name: string;
  properties: Record<string, unknown>;
}

interface OptionsDraft {
  evaluationsSemantic: string;
}

function evaluation(): EvaluationDraft {
  return { subject: undefined, resource: undefined, action: undefined, context: {} };
}

/** The four fields that a request, a batch and each of its evaluations have; `other` reads the rest. */
function readEvaluationFields(reader: WireReader, end: number, target: EvaluationDraft, other = (tag: number): void => reader.skip(tag)): void {
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | BYTES:
        target.subject = readEntity(reader, target.subject);
        break;
      case (2 << 3) | BYTES:
        target.resource = readEntity(reader, target.resource);
        break;
      case (3 << 3) | BYTES:
        target.action = readAction(reader, target.action);
        break;
      case (4 << 3) | BYTES:
        readJsonEntry(reader, target.context);
        break;
      default:
        other(tag);
    }
  }
  reader.checkEnd(end);
}

/** A subject or a resource: they look alike. */
function readEntity(reader: WireReader, known: EntityDraft | undefined): EntityDraft {
  const entity = known ?? { type: '', id: '', properties: {} };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) entity.type = reader.string();
    else if (tag === ((2 << 3) | BYTES)) entity.id = reader.string();
    else if (tag === ((3 << 3) | BYTES)) readJsonEntry(reader, entity.properties);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return entity;
}

function readAction(reader: WireReader, known: ActionDraft | undefined): ActionDraft {
  const action = known ?? { name: '', properties: {} };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) action.name = reader.string();
    else if (tag === ((2 << 3) | BYTES)) readJsonEntry(reader, action.properties);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return action;
}

function readOptions(reader: WireReader, known: OptionsDraft | undefined): OptionsDraft {
  const options = known ?? { evaluationsSemantic: '' };
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) options.evaluationsSemantic = reader.string();
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return options;
}
