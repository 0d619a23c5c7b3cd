import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import type { Services } from '../../service/services.js';
import { type Answer, decodeQuestion, encodeAnswer, type Question, createReflection } from '../reflection-messages.js';
import { REFLECTION_SERVICES } from '../reflection-services.js';
import { bidiStream } from './method.js';

/**
 * Answers reflection requests about the services of this server. Reads requests only as fast as responses can be sent.
 * @param others services of this server that are not RPCs.
 */
export function addReflectionServices(
  server: Server,
  services: Pick<Services, 'admin' | 'aliases'>,
  others: readonly string[],
): void {
  const answerTo = createReflection(services, others);
  for (const service of REFLECTION_SERVICES) {
    const info = bidiStream<Question, Answer>(service, 'ServerReflectionInfo', {
      decode: decodeQuestion,
      encode: (answer) => encodeAnswer(answer),
    });
    server.addService(
      { ServerReflectionInfo: info },
      {
        ServerReflectionInfo: (call: ServerDuplexStream<Question, Answer>) => {
          call.on('data', (question: Question) => {
            if (!call.write(answerTo(question))) call.pause();
          });
          call.on('drain', () => call.resume());
          call.on('end', () => call.end());
        },
      },
    );
  }
}

/** Whether a path belongs to reflection, whose clients may keep their stream open between two requests. */
export function isReflection(path: string): boolean {
  return path.startsWith('/grpc.reflection.');
}
