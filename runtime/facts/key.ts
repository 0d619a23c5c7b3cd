import type { AccessRequest, ActorInput, CompiledBundle } from '../engine/index.js';
import type { ReadLevel, ReadSet, ReadSetOptions } from '../policy/index.js';
import { readSetOf } from './of-bundle.js';
import { project } from './project.js';
import { sha256, utf16 } from './sha256.js';

/** What a key depends on besides the request. Pass the options of the engine that decides. */
export interface DecisionKeyOptions extends ReadSetOptions {
  /** Default: `effect`, so that equal keys have the same answer of `isAllowed`. */
  readonly level?: ReadLevel | undefined;
}

/**
 * A key for caches of remote answers, SHA-256 in hexadecimal: requests with equal keys get equal decisions from these
 * policies with this configuration. Undefined if the decision depends on the time, or on roles that a tenant defines.
 *
 * @example
 * import { decisionKey } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 *
 * // The policies were compiled with `authzc compile --facts`. No rule reads the title.
 * const keyFor = (title: string) =>
 *   decisionKey(policies, {
 *     principal: { id: 'ann', roles: ['user'] },
 *     resource: { kind: 'album', id: 'a1', attr: { owner: 'ann', title } },
 *     action: 'edit',
 *   });
 * console.log(keyFor('Holidays') === keyFor('Family')); // => true
 *
 * @throws an Error if the policies were compiled without `--facts`.
 * @throws {NotJsonError} for a value that the decision reads and JSON cannot represent.
 */
export function decisionKey(
  policies: CompiledBundle,
  request: AccessRequest,
  { level = 'effect', ...options }: DecisionKeyOptions = {},
): string | undefined {
  const { principal, resource, action, auxData } = request;
  const chain: readonly ActorInput[] = [principal, ...(principal.actors ?? [])];
  const prefix = policies.tenantRoles?.rolePrefix;
  if (prefix !== undefined && chain.some(({ roles }) => roles.some((role) => role.startsWith(prefix))))
    return undefined;
  const sets = chain.map((actor) =>
    readSetOf(
      policies,
      {
        kind: resource.kind,
        action,
        roles: actor.roles,
        scope: resource.scope,
        version: resource.policyVersion,
        principal: actor,
        level,
      },
      options,
    ),
  );
  if (sets.some(({ now }) => now)) return undefined;
  const writer = new KeyWriter();
  const { defaultPolicyVersion = 'default', defaultScope = '' } = options;
  const place = (version: string | undefined, scope: string | undefined): readonly unknown[] => [
    version || defaultPolicyVersion,
    (scope || defaultScope).replace(/^\./, ''),
    // Conditions see them as they were sent.
    version ?? '',
    scope ?? '',
  ];
  writer.write([policies.hash, level, Object.entries(options).filter(([, value]) => value !== undefined), action]);
  for (const [index, actor] of chain.entries()) {
    const set = sets[index] as ReadSet;
    const { attr, id, roles } = project(
      { principal: { ...actor, attr: actor.attr }, resource: { kind: '' } },
      set,
    ).principal;
    writer.write([reads(set, 'principal') ? id : undefined, roles, attr, ...place(actor.policyVersion, actor.scope)]);
    const kept = project({ principal: { id: '', roles: [] }, resource, auxData }, set);
    writer.write([reads(set, 'resource') ? resource.id : undefined, kept.resource.attr, kept.auxData ?? undefined]);
  }
  writer.write([resource.kind, ...place(resource.policyVersion, resource.scope)]);
  return sha256(writer.bytes());
}

/** Whether the id of the principal or the resource is read. */
function reads({ paths }: ReadSet, side: 'principal' | 'resource'): boolean {
  return paths.some(({ path: [root, field] }) => (root ?? side) === side && (field ?? 'id') === 'id');
}

/**
 * Writes values so that different ones differ: strings and lists begin with their length, keys are in their order, and
 * `-0` is not `0`, which `1.0 / x` and `string(x)` tell apart.
 */
class KeyWriter {
  private readonly parts: string[] = [];

  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.parts.push(`s${value.length}:`, value);
        return;
      case 'number':
        this.parts.push(`n${Object.is(value, -0) ? '-0' : value};`);
        return;
      case 'object':
        if (value !== null) return this.writeObject(value);
        this.parts.push('null;');
        return;
      default:
        this.parts.push(`${typeof value} ${String(value)};`);
    }
  }

  bytes(): Uint8Array {
    return utf16(this.parts.join(''));
  }

  private writeObject(value: object): void {
    const entries = Array.isArray(value) ? value : Object.entries(value).flat();
    this.parts.push(`${Array.isArray(value) ? 'l' : 'm'}${entries.length}:`);
    for (const entry of entries) this.write(entry);
  }
}
