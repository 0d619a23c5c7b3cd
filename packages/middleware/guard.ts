import type { FactsEngine } from '../../runtime/facts/index.js';
import type {
  ActionOf,
  AnyPermissions,
  AuthzClient,
  AuxData,
  CallOptions,
  CheckAnswer,
  KindOf,
  Permissions,
  PrincipalOf,
  ResourceOf,
} from '../client/index.js';

/**
 * The settings of the guards of an application. `Context` is what its framework passes to handlers, such as the request
 * of Express.
 */
export interface GuardSettings<P extends Permissions, Context> {
  /** Makes the decisions: in this process, or over the network. */
  readonly client?: Pick<AuthzClient<P>, 'check'> | undefined;
  /** Makes the decisions instead: a facts engine (`authz/facts`), for which resources need only a kind and an id. */
  readonly facts?: Pick<FactsEngine<P>, 'check'> | undefined;
  /**
   * The caller, as your authentication has established it. Without one, the request gets 401. An error that it throws
   * goes to the framework.
   */
  readonly principal: (context: Context) => Awaitable<PrincipalOf<P> | null | undefined>;
  /** Tokens of the request, for the decision point to verify. */
  readonly auxData?: ((context: Context) => Awaitable<AuxData | undefined>) | undefined;
  /**
   * Called with the error of the client if there is no answer, and the request gets 503: log it here. What it throws
   * goes to the framework.
   */
  readonly onNoAnswer?: ((error: unknown, context: Context) => void) | undefined;
}

/**
 * What a guard asks: whether the principal may do an action on a resource.
 *
 * A resource function that returns neither a resource nor an error means that there is no such resource: 404. An error
 * that it throws goes to the framework.
 */
export interface Question<
  P extends Permissions,
  Context,
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
> {
  /** Must be allowed. Otherwise the request gets 403. */
  readonly action: A;
  /** The resource, or a function that finds it. It is called only if there is a principal. */
  readonly resource: ResourceOf<P, K> | ((context: Context) => Awaitable<ResourceOf<P, K> | null | undefined>);
  /** Further actions, for `decision.allowed`: for links and buttons of a page. They do not refuse the request. */
  readonly also?: readonly B[] | undefined;
  /**
   * An action without which the principal must not learn that the resource exists: if it is denied, the request gets the
   * same 404 as for a resource that does not exist.
   */
  readonly hiddenWithout?: B | A | undefined;
}

/** The answer to a question, for handlers and templates. */
export interface Decision<
  P extends Permissions = AnyPermissions,
  K extends KindOf<P> = KindOf<P>,
  A extends ActionOf<P, K> = ActionOf<P, K>,
> extends CheckAnswer<P, K, A> {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
}

/** Why a request does not reach its handler. */
export interface Refusal {
  readonly reason: keyof typeof STATUSES;
  readonly status: 401 | 403 | 404 | 503;
  /** The error of the client, if there is no answer. Do not send it to callers. */
  readonly error?: unknown;
}

export type Awaitable<T> = T | PromiseLike<T>;

/** The result of a question: either a decision that allows, or a refusal. */
export type Outcome<D> =
  | { readonly decision: D; readonly refusal?: undefined }
  | { readonly decision?: undefined; readonly refusal: Refusal };

/** The body of refusals that the application does not write itself. */
export interface RefusalBody {
  readonly error: string;
}

const STATUSES = { unauthenticated: 401, denied: 403, not_found: 404, no_answer: 503 } as const;

const MESSAGES: { readonly [Reason in Refusal['reason']]: string } = {
  unauthenticated: 'authentication is required',
  denied: 'forbidden',
  not_found: 'not found',
  no_answer: 'no authorization decision is available',
};

/**
 * Asks a question about a request. Rejects only with errors of the functions of the application: a client that does not
 * answer is a refusal.
 */
export async function decide<
  P extends Permissions,
  Context,
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K>,
>(
  settings: GuardSettings<P, Context>,
  question: Question<P, Context, K, A, B>,
  context: Context,
  options?: CallOptions,
): Promise<Outcome<Decision<P, K, A | B>>> {
  // The types of questions are for callers. The implementation does not know kinds.
  const outcome = await decideOutcome(
    settings as unknown as GuardSettings<AnyPermissions, Context>,
    question as unknown as Question<AnyPermissions, Context, string, string, string>,
    context,
    options,
  );
  return outcome as unknown as Outcome<Decision<P, K, A | B>>;
}

async function decideOutcome<Context>(
  settings: GuardSettings<AnyPermissions, Context>,
  { action, resource: wanted, also = [], hiddenWithout }: Question<AnyPermissions, Context, string, string, string>,
  context: Context,
  options: CallOptions | undefined,
): Promise<Outcome<Decision>> {
  const client = settings.facts ?? settings.client;
  if (client === undefined) throw new TypeError('a guard needs `client` or `facts`');
  const principal = await settings.principal(context);
  if (principal === undefined || principal === null) return refused('unauthenticated');
  const resource = typeof wanted === 'function' ? await wanted(context) : wanted;
  if (resource === undefined || resource === null) return refused('not_found');
  const auxData = await settings.auxData?.(context);
  const actions = [...new Set([action, ...also, ...(hiddenWithout === undefined ? [] : [hiddenWithout])])];
  let answer: CheckAnswer;
  try {
    answer = await client.check({ principal, resource, actions, auxData }, options);
  } catch (error) {
    settings.onNoAnswer?.(error, context);
    return refused('no_answer', error);
  }
  const { allowed } = answer;
  if (hiddenWithout !== undefined && !isAllowed(allowed, hiddenWithout)) return refused('not_found');
  if (!isAllowed(allowed, action)) return refused('denied');
  return { decision: { ...answer, principal, resource } };
}

function isAllowed(allowed: CheckAnswer['allowed'], action: string): boolean {
  return Object.hasOwn(allowed, action) && allowed[action] === true;
}

function refused(reason: Refusal['reason'], error?: unknown): Outcome<never> {
  return { refusal: { reason, status: STATUSES[reason], ...(error === undefined ? {} : { error }) } };
}

/** The text of a refusal for callers: the same for every request, so it reveals nothing. */
export function describeRefusal({ reason }: Refusal): string {
  return MESSAGES[reason];
}

/** The body of a refusal over HTTP. */
export function makeBody(refusal: Refusal): RefusalBody {
  return { error: describeRefusal(refusal) };
}

/** The headers of a refusal over HTTP: caches keep none of them, and a 401 names a scheme, as HTTP requires. */
export function makeHeaders({ reason }: Refusal): { readonly [name: string]: string } {
  return { 'cache-control': 'no-store', ...(reason === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}) };
}
