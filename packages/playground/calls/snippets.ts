import type { Json } from '../json.js';

/** A request that has been sent, for programs that send the same. */
export interface SentRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Json;
  /** The client of `authz/client` and its method, with the address of the server. */
  readonly client?: { readonly create: string; readonly method: string; readonly server: string } | undefined;
}

/** The command line that sends the same request from a shell. */
export function curlCommand({ url, headers, body }: SentRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  return `curl ${quoted(url)}${fields.join('')} -d ${quoted(JSON.stringify(body))}`;
}

/** Within single quotes a shell interprets only the quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A module that sends the same request: by the client, or by `fetch` where there is none. */
export function typescriptModule({ url, headers, body, client }: SentRequest): string {
  if (client === undefined)
    return [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      "  method: 'POST',",
      `  headers: ${JSON.stringify(headers)},`,
      `  body: JSON.stringify(${objectText(body, '  ')}),`,
      '});',
      'console.log(JSON.stringify(await response.json(), undefined, 2));',
    ].join('\n');
  const { create, method, server } = client;
  return [
    `import { ${create} } from 'authz/client';`,
    '',
    `const client = ${create}({ url: ${JSON.stringify(server)} });`,
    `const answer = await client.${method}(${objectText(body, '')});`,
    'console.log(JSON.stringify(answer, undefined, 2));',
  ].join('\n');
}

/** JSON as an object literal: names that are identifiers stand without quotes, except where they would set a prototype. */
function objectText(value: Json, indent: string): string {
  return JSON.stringify(value, undefined, 2)
    .split('\n')
    .map(
      (line, index) =>
        (index === 0 ? '' : indent) + line.replace(/^(\s*)"(?!__proto__")([A-Za-z_$][\w$]*)": /, '$1$2: '),
    )
    .join('\n')
    .replace(/^(\s*)"__proto__": /gm, '$1["__proto__"]: ');
}
