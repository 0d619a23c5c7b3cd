import { randomUUID } from 'node:crypto';
import type { AccessRequest, EngineOptions } from '../../../runtime/engine/index.js';
import { CoverageRecorder } from '../../analysis/coverage/coverage.js';
import { askPolicies } from '../../policy-tests/engine/ask-policies.js';
import { suggestForCoverage } from '../../policy-tests/suggest/coverage-suggestions.js';
import { testCalls } from '../../policy-tests/run-tests.js';
import { createEngine } from '../../../runtime/engine/index.js';
import type { TestOptions } from '../../policy-tests/suite.js';
import type { Trial } from './trial.js';

/** How decisions of a server of the reference PDP compare with ours. */
export interface Comparison {
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly request: AccessRequest;
  readonly theirs: string;
  readonly ours: string;
}

/** How long a server may take to answer, in milliseconds. */
const PATIENCE = 1000;
/** How long requests are searched for, in milliseconds, and how many are sent. */
const LONGEST_SEARCH = 20_000;
const MOST_REQUESTS = 2000;

/** Whether a server of the reference PDP answers: it has no health under our name. */
export async function isReferenceServer(url: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all(
    ['/_cerbos/health', '/_authz/health'].map((path) => fetchStatus(url + path)),
  );
  return theirs === 200 && ours !== 200;
}

async function fetchStatus(url: string): Promise<number | undefined> {
  try {
    const { status, body } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), redirect: 'manual' });
    await body?.cancel();
    return status;
  } catch {
    return undefined;
  }
}

/**
 * Sends the requests of the tests, and of tests that are suggested for the policies, to a server of the reference PDP,
 * and compares the decisions with ours. Requests with tokens are
 * left out, as are those that depend on the time or on globals of a test.
 */
export async function compareWithServer(
  url: string,
  { policies, suites }: Trial,
  options: Omit<EngineOptions, 'clock'>,
): Promise<Comparison> {
  if (policies === undefined) return { compared: 0, differences: [] };
  const traces = await policies.traced();
  const ask = { strictEvaluation: false, schemaEnforcement: 'none' } as const;
  const calls = testCalls(suites, { filter: new Map(), skipBatching: false, traced: false });
  const end = performance.now() + LONGEST_SEARCH;
  const suggested = await suggestForCoverage(
    new CoverageRecorder(policies.lowered),
    {
      program: policies.lowered,
      compiled: policies.policies,
      ask: askPolicies({ policies: policies.policies, traces, lowered: () => policies.lowered }, ask).ask,
      engineOptions: { strictEvaluation: false, schemaEnforcement: 'none' },
      calls,
      allowed: { roles: undefined, actions: undefined },
      prover: undefined,
    },
    () => Promise.resolve(performance.now() < end),
  );
  const requests = unique([
    ...suggested.tests.filter(({ readsTime }) => !readsTime).map(({ situation }) => situation.request),
    ...calls
      .filter(({ question }) => !isSpecial(question.options))
      .flatMap(({ question: { principal, resource, auxData, actions } }) =>
        actions.map((action) => ({ principal, resource, auxData, action })),
      ),
  ]).slice(0, MOST_REQUESTS);
  const engine = createEngine(policies.policies, options);
  const differences: Difference[] = [];
  for (const request of requests) {
    const theirs = await fetchEffect(url, request);
    const ours = engine.isAllowed(request) ? ALLOWED : DENIED;
    if (theirs !== ours) differences.push({ request, theirs, ours });
  }
  return { compared: requests.length, differences };
}

const ALLOWED = 'EFFECT_ALLOW';
const DENIED = 'EFFECT_DENY';

function unique(requests: readonly AccessRequest[]): readonly AccessRequest[] {
  const byText = new Map(
    requests.filter(({ auxData }) => auxData === undefined).map((request) => [JSON.stringify(request), request]),
  );
  return [...byText.values()];
}

/** Whether a test decides with options that a server does not take from a request. */
function isSpecial({ now, globals, ...options }: TestOptions): boolean {
  return now !== undefined || Object.keys(globals).length > 0 || Object.values(options).some(Boolean);
}

/** The effect that a server answers, or why it has none. */
async function fetchEffect(url: string, { principal, resource, action }: AccessRequest): Promise<string> {
  const body = { requestId: randomUUID(), principal, resources: [{ actions: [action], resource }] };
  try {
    const answer = await fetch(`${url}/api/check/resources`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE * 10),
    });
    const { results, message } = (await answer.json()) as {
      readonly results?: readonly { readonly actions?: { readonly [action: string]: string } }[];
      readonly message?: string;
    };
    return results?.[0]?.actions?.[action] ?? `error: ${message ?? answer.status}`;
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
