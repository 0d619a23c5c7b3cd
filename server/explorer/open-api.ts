import document from '../../proto/gen/openapi.json' with { type: 'json' };

/**
 * Prints the description of the REST interface for clients of an address, `https://pdp.example:3592`
 * (docs/spec/server.md#openapi-and-explorer).
 */
export type OpenApiPrinter = (address: string, version: string) => string;

/** The parts that do not depend on the address are printed once. */
export function openApiPrinter(): OpenApiPrinter {
  const { openapi, info, servers, ...rest } = document;
  const tail = JSON.stringify(rest).slice(1);
  return (address, version) => {
    const head = JSON.stringify({ openapi, info: { ...info, version }, servers: [{ url: address }] });
    return `${head.slice(0, -1)},${tail}`;
  };
}
