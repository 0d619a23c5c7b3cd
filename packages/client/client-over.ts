import type { AnyPermissions, Permissions } from '../../runtime/policy/index.js';
import type { CheckResourcesRequest } from '../../proto/gen/messages.js';
import { NotJsonError } from '../cel/runtime/plain-json.js';
import { checkAnswer, planAnswer } from './answer.js';
import type {
  AuthzClient,
  CallOptions,
  CheckAllAnswer,
  CheckAnswer,
  ClientOptions,
  PlanAnswer,
  PrincipalOptions,
} from './authz-client.js';
import { AuthzError } from './authz-error.js';
import {
  callerMessage,
  callerQuestion,
  checkMessage,
  type CheckQuestion,
  planMessage,
  type PlanQuestion,
  type PrincipalLike,
  type ResourceLike,
} from './request-message.js';
import type { Transport } from './transport.js';

/** Milliseconds. */
const DEFAULT_TIMEOUT = 5000;

/** The client of a transport: everything that transports have in common. */
export function clientOver<P extends Permissions = AnyPermissions>(
  transport: Transport,
  { timeout = DEFAULT_TIMEOUT }: ClientOptions,
): AuthzClient<P> {
  const closing = new AbortController();
  const run = async <T>(options: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(call, options.timeout ?? timeout, closing.signal, options);
    } catch (error) {
      if (error instanceof NotJsonError) throw new AuthzError('invalid_argument', error.message);
      throw error instanceof AuthzError
        ? error
        : new AuthzError('internal', error instanceof Error ? error.message : 'the client failed', { cause: error });
    }
  };

  const ask = (message: () => CheckResourcesRequest, options: CallOptions = {}): Promise<CheckAllAnswer> =>
    run(options, async (signal) => {
      const request = message();
      return checkAnswer(request, await transport.check(request, { signal, minBundle: options.minBundle }));
    });

  const checkAll = (question: CheckQuestion, options?: CallOptions): Promise<CheckAllAnswer> =>
    ask(() => checkMessage(question), options);

  const check = async (question: One, options?: CallOptions): Promise<CheckAnswer> => {
    const { results, ...call } = await checkAll(
      { ...question, resources: [{ resource: question?.resource, actions: question?.actions }] },
      options,
    );
    const [result] = results;
    if (result === undefined) throw new AuthzError('internal', 'the answer is empty');
    const { resource: _, ...answer } = result;
    return { ...answer, ...call };
  };

  // The implementation does not know kinds; the public types do.
  const client: UntypedClient = {
    check,
    checkAll,
    isAllowed: async (question, options) => {
      const { allowed } = await check({ ...question, actions: [question?.action] }, options);
      return isTrue(allowed, question.action);
    },
    for: (principal, extras) => {
      const caller = once(() => callerMessage({ ...extras, principal }));
      return {
        can: async (action, resource, options) => {
          const { results } = await ask(() => callerQuestion(caller(), action, resource), options);
          return results[0] !== undefined && isTrue(results[0].allowed, action);
        },
      };
    },
    plan: (question, options = {}) =>
      run(options, async (signal) => {
        const request = planMessage(question);
        return planAnswer(request, await transport.plan(request, { signal, minBundle: options.minBundle }));
      }),
    serverInfo: (options = {}) => run(options, (signal) => transport.serverInfo(signal)),
    close: async () => {
      closing.abort();
      transport.close();
    },
  };
  return client as AuthzClient<AnyPermissions> as unknown as AuthzClient<P>;
}

function isTrue(allowed: CheckAnswer['allowed'], action: string): boolean {
  return Object.hasOwn(allowed, action) && allowed[action] === true;
}

/** Calls a function now; returns one that returns its value, or throws its error, as often as it is called. */
function once<T>(make: () => T): () => T {
  try {
    const value = make();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

type One = Omit<CheckQuestion, 'resources'> & CheckQuestion['resources'][number];

interface UntypedClient extends Pick<AuthzClient, 'serverInfo' | 'close'> {
  check(request: One, options?: CallOptions): Promise<CheckAnswer>;
  checkAll(request: CheckQuestion, options?: CallOptions): Promise<CheckAllAnswer>;
  isAllowed(request: Omit<One, 'actions'> & { readonly action: string }, options?: CallOptions): Promise<boolean>;
  for(
    principal: PrincipalLike,
    options?: PrincipalOptions,
  ): { can(action: string, resource: ResourceLike, options?: CallOptions): Promise<boolean> };
  plan(request: PlanQuestion, options?: CallOptions): Promise<PlanAnswer>;
}

/** The longest delay that timers of all platforms support. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs a call until it is answered, aborted or out of time, whichever is first; then aborts its signal and does not
 * wait for it.
 * @param timeout in milliseconds.
 * @param closed aborted when the client is closed.
 */
function withDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  timeout: number,
  closed: AbortSignal,
  { signal }: CallOptions,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const giveUp = (error: AuthzError): void => {
      settle();
      reject(error);
      controller.abort(error);
    };
    const onClose = (): void => giveUp(new AuthzError('canceled', 'the client is closed'));
    const onAbort = (): void => giveUp(new AuthzError('canceled', 'the call was aborted', { cause: signal?.reason }));
    const onTime = (): void => giveUp(new AuthzError('deadline_exceeded', `no answer within ${timeout} ms`));
    const timer = timeout <= LONGEST_TIMER ? setTimeout(onTime, timeout) : undefined;
    const settle = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    if (closed.aborted) return onClose();
    if (signal?.aborted === true) return onAbort();
    closed.addEventListener('abort', onClose);
    signal?.addEventListener('abort', onAbort);
    call(controller.signal).then(resolve, reject).finally(settle);
  });
}
