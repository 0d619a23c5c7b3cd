import { Refusal } from './refusal.js';
import type { Page } from './store.js';

const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 100;

/** The page that a query selects: `?limit=20&offset=40`. Throws a Refusal. */
export function pageOf(query: { readonly [name: string]: unknown }): Page {
  const limit = numberOf(query, 'limit') ?? DEFAULT_LIMIT;
  if (limit < 1 || limit > LARGEST_LIMIT) throw new Refusal(400, `limit must be a number from 1 to ${LARGEST_LIMIT}`);
  return { limit, offset: numberOf(query, 'offset') ?? 0 };
}

function numberOf(query: { readonly [name: string]: unknown }, name: string): number | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  throw new Refusal(400, `${name} must be a number`);
}
