import { type handleBidiStreamingCall, type Server, status } from '@grpc/grpc-js';
import { BYTES, WireReader } from '../../../proto/codec/wire-reader.js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import { type DescriptorIndex, descriptorIndex } from '../../../proto/descriptor-index.js';
import { bidiStream } from './method.js';

/** Server reflection, in both versions of its protocol: they differ in name alone. */
const REFLECTION_SERVICES = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'] as const;

/** Answers what the services of this server look like; `services` are their full names. */
export function addReflectionServices(server: Server, services: readonly string[]): void {
  const answer = answerer([...services, ...REFLECTION_SERVICES].sort());
  for (const service of REFLECTION_SERVICES) {
    const info = bidiStream(service, 'ServerReflectionInfo', { decode: decodeQuestion, encode: (response: Buffer) => response });
    server.addService({ ServerReflectionInfo: info }, { ServerReflectionInfo: handler(answer) });
  }
}

/** Whether a path is that of reflection, whose clients may keep their stream open between two questions. */
export function isReflection(path: string): boolean {
  return path.startsWith('/grpc.reflection.');
}

/** One question of the stream: a field of ServerReflectionRequest with its text. */
interface Question {
  readonly host: string;
  readonly field: number;
  readonly text: string;
  readonly bytes: Buffer;
}

type Answerer = (question: Question) => Buffer;

const HOST = 1;
const FILE_BY_FILENAME = 3;
const FILE_CONTAINING_SYMBOL = 4;
const LIST_SERVICES = 7;

function handler(answer: Answerer): handleBidiStreamingCall<Question, Buffer> {
  return (call) => {
    call.on('data', (question: Question) => call.write(answer(question)));
    call.on('end', () => call.end());
  };
}

/** The descriptors are read at the first question about them: no start waits for it. */
function answerer(services: readonly string[]): Answerer {
  let index: DescriptorIndex | undefined;
  return (question) => {
    index ??= descriptorIndex();
    switch (question.field) {
      case FILE_BY_FILENAME:
        return encodeFiles(question, index.filesOf(question.text));
      case FILE_CONTAINING_SYMBOL:
        return encodeFiles(question, index.filesOf(index.fileDefining(question.text.replace(/^\./, '')) ?? ''));
      case LIST_SERVICES:
        return encodeServices(question, services);
      default:
        return encodeError(question, status.UNIMPLEMENTED, 'not a question this server answers');
    }
  };
}

function decodeQuestion(bytes: Buffer): Question {
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

function encodeFiles(question: Question, files: readonly Buffer[] | undefined): Buffer {
  if (files === undefined) return encodeError(question, status.NOT_FOUND, `nothing is called ${JSON.stringify(question.text.slice(0, 200))}`);
  return encodeAnswer(question, 4, (writer) => {
    for (const file of [...files].reverse()) writer.bytesField(1, file);
  });
}

function encodeServices(question: Question, services: readonly string[]): Buffer {
  return encodeAnswer(question, 6, (writer) => {
    for (const service of [...services].reverse()) {
      const mark = writer.mark();
      writer.stringField(1, service);
      writer.messageField(1, mark);
    }
  });
}

function encodeError(question: Question, code: number, message: string): Buffer {
  return encodeAnswer(question, 7, (writer) => {
    writer.stringField(2, message);
    writer.varintField(1, code);
  });
}

/** ServerReflectionResponse: the question again, and one field of content. */
function encodeAnswer(question: Question, field: number, content: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter();
  const mark = writer.mark();
  content(writer);
  writer.messageField(field, mark);
  writer.bytesField(2, question.bytes);
  if (question.host !== '') writer.stringField(1, question.host);
  return writer.finish();
}
