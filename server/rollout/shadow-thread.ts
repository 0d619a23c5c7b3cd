import { parentPort, workerData } from 'node:worker_threads';
import type { TenantDocument, TenantDocuments } from '../../runtime/engine/index.js';
import type { Config } from '../config.js';
import type { BundleText } from '../bundle/read-bundle.js';
import { evaluateBundleText } from '../swap/evaluate-bundle.js';
import { makeEngine } from '../swap/serving-engine.js';
import { type Comparison, compare, type ShadowItem, type ShadowTenants } from './comparison.js';

/** What the thread starts with. */
export interface ShadowThreadData {
  readonly config: Config;
  readonly candidate: BundleText;
}

/** A document of a tenant that the candidate refuses: its roles give nothing. */
export interface RefusedTenant {
  readonly tenant: string;
  readonly reason: string;
}

/**
 * The thread in which a candidate decides: whatever it does there delays no call. It answers each batch of items with
 * their comparisons, in order, and tells of documents of tenants that the candidate refuses. It ends with an error if
 * the candidate cannot be loaded.
 */
const { config, candidate } = workerData as ShadowThreadData;
let time = 0;
const clock = (): { readonly seconds: number; readonly nanos: number; readonly offset: number } => ({
  seconds: Math.floor(time / 1000),
  nanos: (time % 1000) * 1_000_000,
  offset: -new Date(time).getTimezoneOffset(),
});
const onRefused = (tenant: string, { message: reason }: Error): void => {
  const refusal: RefusedTenant = { tenant, reason };
  parentPort?.postMessage(refusal);
};
const { engine, facts: deciders } = await makeEngine(config, await evaluateBundleText(candidate), { clock, onRefused });
// Modules that a server does not need are not loaded.
const facts = deciders && (await import('../facts/candidate-facts.js')).createCandidateFacts(deciders);

/** How many documents of tenants are kept. */
const MOST_DOCUMENTS = 1000;
const documents = new Map<string, TenantDocument>();

/** Each document is the same object every time: an engine proves each object once. */
function provideDocuments(tenants: ShadowTenants): TenantDocuments {
  const known = new Map<string, TenantDocument>();
  for (const [tenant, { digest, document }] of tenants) {
    if (document === undefined) continue;
    const key = `${tenant} ${digest}`;
    const kept = documents.get(key) ?? document;
    if (documents.size >= MOST_DOCUMENTS) documents.clear();
    documents.set(key, kept);
    known.set(tenant, kept);
  }
  return (tenant) => known.get(tenant);
}

parentPort?.on('message', (items: readonly ShadowItem[]) => {
  const comparisons = items.map((item): Comparison => {
    // Both decide at the same time, so that conditions about it do not differ.
    time = item.time;
    return compare(engine, item, item.tenants && provideDocuments(item.tenants), facts);
  });
  parentPort?.postMessage(comparisons);
});
