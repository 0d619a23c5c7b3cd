import { valueOfYaml } from '../../yaml-input/index.js';
import type { Selecting } from '../decision/decisions.js';

/** What a browser may know: an allow list. Everything else of the policies is only for the server. */
export interface ClientView {
  readonly kinds: { readonly [kind: string]: KindView };
  readonly principal: { readonly attributes: readonly string[] };
  /** The scopes of which policies may be known, besides the one of requests without a scope. */
  readonly scopes: readonly string[];
  /** Whether the clock of a browser is taken to be that of the server, so that conditions on the time are known. */
  readonly clock: 'unknown' | 'trusted';
  /** Whether the server rejects what violates schemas: kinds with schemas are then never `allowed`. */
  readonly schemas: 'none' | 'reject';
  /** How the server is configured, where that selects policies. */
  readonly server: Required<Selecting>;
}

export interface KindView {
  readonly actions: readonly string[];
  readonly attributes: readonly string[];
}

/** Reads the text of `client.yaml`. @throws {TypeError} naming the key that is wrong. */
export function readClientView(text: string): ClientView {
  const document = record(valueOfYaml(text), 'the file', ['client']);
  const client = record(document['client'], '`client`', ['kinds', 'principal', 'scopes', 'clock', 'schemas', 'server']);
  const kinds = record(client['kinds'], '`client.kinds`');
  const principal = record(client['principal'] ?? {}, '`client.principal`', ['attributes']);
  return {
    kinds: Object.fromEntries(
      Object.entries(kinds).map(([kind, view]) => {
        const at = `client.kinds.${kind}`;
        const own = record(view, `\`${at}\``, ['actions', 'attributes']);
        const actions = names(own['actions'], `${at}.actions`);
        const glob = actions.find((action) => action.includes('*'));
        if (actions.length === 0) throw new TypeError(`\`${at}.actions\` must name an action`);
        if (glob !== undefined) throw new TypeError(`\`${at}.actions\` must list names, not the glob \`${glob}\``);
        return [kind, { actions, attributes: names(own['attributes'] ?? [], `${at}.attributes`) }];
      }),
    ),
    principal: { attributes: names(principal['attributes'] ?? [], 'client.principal.attributes') },
    scopes: names(client['scopes'] ?? [], 'client.scopes'),
    clock: oneOf(client['clock'] ?? 'unknown', ['unknown', 'trusted'], '`client.clock`'),
    schemas: oneOf(client['schemas'] ?? 'none', ['none', 'reject'], '`client.schemas`'),
    server: serverSettings(client['server'] ?? {}),
  };
}

function serverSettings(value: unknown): ClientView['server'] {
  const at = 'client.server';
  const given = record(value, `\`${at}\``, ['defaultPolicyVersion', 'defaultScope', 'lenientScopeSearch']);
  const { defaultPolicyVersion = 'default', defaultScope = '', lenientScopeSearch = false } = given;
  if (typeof defaultPolicyVersion !== 'string') throw new TypeError(`\`${at}.defaultPolicyVersion\` must be a string`);
  if (typeof defaultScope !== 'string') throw new TypeError(`\`${at}.defaultScope\` must be a string`);
  if (typeof lenientScopeSearch !== 'boolean')
    throw new TypeError(`\`${at}.lenientScopeSearch\` must be true or false`);
  return { defaultPolicyVersion, defaultScope: defaultScope.replace(/^\./, ''), lenientScopeSearch };
}

function oneOf<Word extends string>(value: unknown, words: readonly [Word, Word], what: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new TypeError(`${what} must be \`${words.join('` or `')}\``);
  return found;
}

function record(value: unknown, what: string, known?: readonly string[]): { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${what} must be a map`);
  for (const key of Object.keys(value))
    if (known !== undefined && !known.includes(key)) throw new TypeError(`${what} has an unknown key \`${key}\``);
  return value as { readonly [key: string]: unknown };
}

function names(value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string' || name === ''))
    throw new TypeError(`\`${path}\` must be a list of names`);
  return [...new Set(value as string[])];
}
