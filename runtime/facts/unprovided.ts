import { sanitize } from '../policy/index.js';

/** What provides facts: a source, or callers. */
export interface FactProvider {
  /** The kind of the resources; `principal` for what provides facts of requests about any kind. */
  readonly of: string;
  /** `resource.attr.owner`, or `resource.attr.*` for all attributes of the resource. */
  readonly facts: ReadonlySet<string>;
}

/** Whether anything provides a fact that decisions about a kind read. */
export function isProvided(kind: string, fact: string, providers: readonly FactProvider[]): boolean {
  const whole = `${fact.split(/[.[]/, 2).join('.')}.*`;
  return providers.some(
    ({ of, facts }) => (of === 'principal' || sanitize(of) === sanitize(kind)) && (facts.has(fact) || facts.has(whole)),
  );
}
