import { BYTES, WireReader } from '../../proto/wire/reader.js';
import { WireWriter } from '../../proto/wire/writer.js';
import { type DescriptorIndex, descriptorIndex } from '../../proto/descriptor-index.js';
import { CODES } from '../service/rpc-error.js';
import type { AliasConfig } from '../config/aliases.js';
import type { Renaming } from '../../proto/renamed-descriptors.js';
import { serviceNames } from '../service/aliases.js';
import { ADMIN_SERVICE, type Services } from '../service/services.js';
import type { Shape } from '../../proto/wire/json-shape.js';
import { REFLECTION_SERVICES } from './reflection-services.js';
import { RPC_SERVICES } from './rpcs.js';

/** One request of the stream: ServerReflectionRequest. */
export interface Question {
  readonly host: string;
  /** The number of the field that is set; 0: no known field. */
  readonly field: number;
  readonly text: string;
  /** The message in protobuf. */
  readonly bytes: Buffer;
}

/** ServerReflectionResponse, without the request that it repeats. */
export type Answer =
  | { readonly question: Question; readonly files: readonly Buffer[] }
  | { readonly question: Question; readonly services: readonly string[] }
  | { readonly question: Question; readonly code: number; readonly message: string };

/**
 * Answers reflection requests about the services of this server. The descriptors are read at the first request, so they
 * do not delay the start.
 * @param others services that are served beside the RPCs.
 */
export function createReflection(
  { admin, aliases = [] }: Pick<Services, 'admin' | 'aliases'>,
  others: readonly string[] = [],
): (question: Question) => Answer {
  const services = [...RPC_SERVICES, ...REFLECTION_SERVICES, ...others]
    .filter((service) => service !== ADMIN_SERVICE || admin !== undefined)
    .flatMap((service) => serviceNames(service, aliases))
    .sort();
  let indexes: readonly DescriptorIndex[] | undefined;
  return (question) => {
    indexes ??= [undefined, ...aliases.map(makeRenaming)].map((renaming) => descriptorIndex(renaming));
    switch (question.field) {
      case FILE_BY_FILENAME:
        return filesOrNone(
          question,
          filesIn(indexes, (index) => index.filesOf(question.text)),
        );
      case FILE_CONTAINING_SYMBOL:
        return filesOrNone(
          question,
          filesIn(indexes, (index) => index.filesOf(index.fileDefining(question.text.replace(/^\./, '')) ?? '')),
        );
      case LIST_SERVICES:
        return { question, services };
      default:
        return { question, code: CODES.unimplemented.number, message: 'not a question this server answers' };
    }
  };
}

/** The files of the first index that has them. */
function filesIn(
  indexes: readonly DescriptorIndex[],
  filesOf: (index: DescriptorIndex) => readonly Buffer[] | undefined,
): readonly Buffer[] | undefined {
  for (const index of indexes) {
    const files = filesOf(index);
    if (files !== undefined) return files;
  }
  return undefined;
}

function makeRenaming({ package: root, services, callIdField }: AliasConfig): Renaming {
  return { root: ['authz', root], services: { ...services }, fields: { authzCallId: callIdField } };
}

function filesOrNone(question: Question, files: readonly Buffer[] | undefined): Answer {
  if (files !== undefined) return { question, files };
  return {
    question,
    code: CODES.not_found.number,
    message: `nothing is called ${JSON.stringify(question.text.slice(0, 200))}`,
  };
}

const HOST = 1;
const FILE_BY_FILENAME = 3;
const FILE_CONTAINING_SYMBOL = 4;
const LIST_SERVICES = 7;

/** Throws a WireError. */
export function decodeQuestion(bytes: Buffer): Question {
  const reader = new WireReader(bytes);
  let host = '';
  let field = 0;
  let text = '';
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    const number = tag >>> 3;
    if ((tag & 7) !== BYTES) reader.skip(tag);
    else if (number === HOST) host = reader.string();
    else if (number === FILE_BY_FILENAME || number === FILE_CONTAINING_SYMBOL || number === LIST_SERVICES) {
      field = number;
      text = reader.string();
    } else {
      field = number;
      reader.skip(tag);
    }
  }
  return { host, field, text, bytes };
}

/** Throws a JsonError. */
export function readQuestion(value: unknown, shape: Shape): Question {
  const object = shape.object(value, '');
  const texts = new Map<number, string>();
  let met = 0;
  for (const key in object) {
    shape.keys += 1;
    const [name, number] =
      FIELDS.find(([name]) => name === key || snakeCase(name) === key) ?? shape.unknownField(key, '');
    met = shape.once(met, 1 << number, key);
    if (object[key] !== null) texts.set(number, shape.string(object[key], name));
  }
  const host = texts.get(HOST) ?? '';
  const [, field = 0] = FIELDS.find(([, number]) => number !== HOST && texts.has(number)) ?? [];
  const text = texts.get(field) ?? '';
  const writer = new WireWriter();
  if (field !== 0) writer.bytesField(field, Buffer.from(text));
  if (host !== '') writer.stringField(HOST, host);
  return { host, field, text, bytes: writer.finish() };
}

/** The fields of a request that are strings, by their names in JSON. */
const FIELDS = [
  ['host', HOST],
  ['fileByFilename', FILE_BY_FILENAME],
  ['fileContainingSymbol', FILE_CONTAINING_SYMBOL],
  ['allExtensionNumbersOfType', 6],
  ['listServices', LIST_SERVICES],
] as const;

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The response in protobuf: the repeated request and one content field. */
export function encodeAnswer(answer: Answer, writer = new WireWriter()): Buffer {
  writer.begin();
  const mark = writer.mark();
  writer.messageField(encodeContent(answer, writer), mark);
  writer.bytesField(2, answer.question.bytes);
  if (answer.question.host !== '') writer.stringField(1, answer.question.host);
  return writer.finish();
}

/** Returns the field number of its content. */
function encodeContent(answer: Answer, writer: WireWriter): number {
  if ('files' in answer) {
    for (const file of [...answer.files].reverse()) writer.bytesField(1, file);
    return 4;
  }
  if ('services' in answer) {
    for (const service of [...answer.services].reverse()) {
      const mark = writer.mark();
      writer.stringField(1, service);
      writer.messageField(1, mark);
    }
    return 6;
  }
  writer.stringField(2, answer.message);
  writer.varintField(1, answer.code);
  return 7;
}

/** The response in JSON. */
export function printAnswer(answer: Answer): string {
  const { host, field, text } = answer.question;
  const name = FIELDS.find(([, number]) => number === field)?.[0];
  const head = {
    ...(host !== '' && { validHost: host }),
    originalRequest: { ...(host !== '' && { host }), ...(name !== undefined && { [name]: text }) },
  };
  if ('files' in answer)
    return JSON.stringify({
      ...head,
      fileDescriptorResponse: { fileDescriptorProto: answer.files.map((file) => file.toString('base64')) },
    });
  if ('services' in answer)
    return JSON.stringify({
      ...head,
      listServicesResponse: { service: answer.services.map((service) => ({ name: service })) },
    });
  return JSON.stringify({ ...head, errorResponse: { errorCode: answer.code, errorMessage: answer.message } });
}
