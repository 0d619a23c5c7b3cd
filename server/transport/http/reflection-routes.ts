import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type RpcError, toRpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import {
  type Answer,
  decodeQuestion,
  encodeAnswer,
  printAnswer,
  type Question,
  readQuestion,
  createReflection,
} from '../reflection-messages.js';
import { REFLECTION_SERVICES } from '../reflection-services.js';
import type { StreamMessages } from '../stream-rpc.js';
import type { HttpPlugin } from './app.js';
import { checkDeadline } from './deadline.js';
import type { Exchange } from './exchange.js';
import { framesIn } from './frames.js';
import { isTextual } from './grpc-web-frames.js';
import { refuseStreamType, chooseStreamForm } from './stream-routes.js';
import type { StreamForm } from './stream-form.js';

const messages: StreamMessages<Question, Answer> = {
  readJson: readQuestion,
  printJson: printAnswer,
  decode: decodeQuestion,
  encode: encodeAnswer,
};

/**
 * Reflection over Connect and gRPC-Web. Each request is answered as soon as it arrives: clients wait for a response
 * before they send the next one.
 */
export function createReflectionPlugin(exchange: Exchange, services: Services): HttpPlugin {
  const answerTo = createReflection(services);
  return (routes) => {
    for (const service of REFLECTION_SERVICES) {
      routes.postEarly(`/${service}/ServerReflectionInfo`, (request, response) => {
        const form = chooseStreamForm(messages as unknown as StreamMessages, request.headers['content-type']);
        if (form === undefined) refuseStreamType(request, response, exchange);
        else
          exchange.stream(
            request,
            response,
            200,
            ['Content-Type', form.contentType],
            Readable.from(answers(form, request, services, answerTo)),
          );
      });
    }
  };
}

/** No reflection request is longer. */
const MAX_QUESTION_BYTES = 64 * 1024;

async function* answers(
  form: StreamForm,
  request: IncomingMessage,
  { report }: Services,
  answerTo: (question: Question) => Answer,
): AsyncGenerator<Buffer, void> {
  const start = performance.now();
  let failure: RpcError | undefined;
  try {
    const timeout = form.timeout(request.headers);
    for await (const frame of framesIn(request, MAX_QUESTION_BYTES, isTextual(request.headers['content-type']))) {
      const answer = form.message(answerTo(form.read(frame) as Question));
      checkDeadline(start, timeout);
      yield answer;
    }
  } catch (thrown) {
    failure = toRpcError(thrown, report);
  }
  yield form.end(failure);
  // Input after a failure is discarded, so that the response still arrives.
  request.resume();
}
