import { RpcError } from '../service/rpc-error.js';

/** The headers of a request as sent: names in any case, repeated headers more than once. */
export type Fields = Iterable<readonly [name: string, value: string]>;

/** The headers whose aliases are refused, in lower case; `x-forwarded-*` and `x-original-*` are always among them. */
export type ReservedNames = ReadonlySet<string>;

const MOST_FIELDS = 200;
/** Length in characters, of names and values. */
const MOST_BYTES = 64 * 1024;

/** Some upstreams replace the method or the path of a request by the value of such a header. */
const OVERRIDES: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);

/** The headers of a request, read once: aliases of reserved names, and headers that replace its method, are refused. */
export class HeaderFields {
  readonly #values = new Map<string, string[]>();

  /** Throws an RpcError for headers that an upstream may read in another way. */
  constructor(fields: Fields, reserved: ReservedNames) {
    let count = 0;
    let bytes = 0;
    for (const [written, value] of fields) {
      count += 1;
      bytes += written.length + value.length;
      if (count > MOST_FIELDS || bytes > MOST_BYTES) throw denied('the request has too many headers');
      const name = written.toLowerCase();
      // What CGI, PHP and others do to names, so that `X_User` and `X.User` become the same variable as `X-User`.
      const folded = name.replaceAll(/[^a-z0-9]/g, '-');
      if (folded !== name && isReserved(folded, reserved)) throw denied(`header \`${folded}\` has an alias`);
      if (OVERRIDES.has(folded) && !reserved.has(folded))
        throw denied(`header \`${folded}\` may change the method or the path`);
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  /** The only value of a header; undefined if it is absent. Throws an RpcError if it is repeated or not visible ASCII. */
  only(name: string): string | undefined {
    const [value, ...others] = this.#values.get(name) ?? [];
    if (others.length > 0) throw denied(`header \`${name}\` is repeated`);
    if (value !== undefined && !VISIBLE.test(value)) throw denied(`header \`${name}\` is not visible ASCII`);
    return value;
  }
}

const VISIBLE = /^[ -~]*$/;

function isReserved(name: string, reserved: ReservedNames): boolean {
  return reserved.has(name) || OVERRIDES.has(name) || name.startsWith('x-forwarded-') || name.startsWith('x-original-');
}

/** The refusal of a request; the reason is for the access log. */
export function denied(reason: string): RpcError {
  return new RpcError('permission_denied', reason);
}
