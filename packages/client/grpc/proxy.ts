/*
 * The gRPC library takes its proxy from the environment, also for servers on the same machine, which a proxy cannot reach.
 * It knows `no_proxy` in lower case only, and compares with the ends of names.
 */

const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const;
const EXCEPTIONS = ['no_grpc_proxy', 'no_proxy', 'NO_PROXY'] as const;

/** The environment variable whose proxy a client uses for an address; undefined without a proxy. */
export function proxyVariable(
  address: string,
  environment: { readonly [name: string]: string | undefined } = process.env,
): string | undefined {
  const variable = PROXIES.find((name) => environment[name]);
  if (variable === undefined || /^unix:/i.test(address)) return undefined;
  const host = parseHost(address);
  return isLoopback(host) || isExcepted(host, environment) ? undefined : variable;
}

/** `pdp.internal` of `dns:///pdp.internal:3593`, and `::1` of `[::1]:3593`. */
function parseHost(address: string): string {
  const target = address.replace(/^(?:dns|ipv4|ipv6):(?:\/\/[^/]*\/)?/i, '');
  const bracketed = /^\[([^\]]*)\]/.exec(target)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  // An IPv6 address without a port has several colons.
  return (/^[^:]*:\d+$/.test(target) ? target.slice(0, target.lastIndexOf(':')) : target).toLowerCase();
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    /^(?:::1|(?:0{1,4}:){7}0{0,3}1|::ffff:127(?:\.\d{1,3}){3})$/.test(host)
  );
}

/**
 * Whether the list excepts a host, as other programs read it: names with those below them, `*` for all. Networks are
 * left to the library.
 */
function isExcepted(host: string, environment: { readonly [name: string]: string | undefined }): boolean {
  const list = EXCEPTIONS.map((name) => environment[name]).find(Boolean) ?? '';
  return list.split(',').some((entry) => {
    const name = entry
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, '')
      .replace(/:\d+$/, '');
    return name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });
}
