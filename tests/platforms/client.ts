import { type AuthzClient, connectClient, restClient } from '../../packages/client/index.js';

/** What clients answer over HTTP, refusals and failures among it, as one text. Uses `fetch` alone. */
export async function clientAnswers(url: string): Promise<string> {
  const lines: string[] = [];
  for (const client of [restClient({ url }), connectClient({ url })]) {
    for (const question of QUESTIONS) lines.push(await question(client).then(textOf, nameOf));
    await client.close();
  }
  return lines.join('\n');
}

const principal = { id: 'zo\u00eb\u2028', roles: ['user'], attr: { n: 0.1, list: [null, true, '\u{1f600}'] } };
const resource = { kind: 'values', id: '1', attr: { v: { deep: [1, 'two', false] } } };

const QUESTIONS: readonly ((client: AuthzClient) => Promise<unknown>)[] = [
  (client) => client.isAllowed({ principal, resource, action: 'read' }),
  (client) => client.isAllowed({ principal, resource, action: 'delete' }),
  (client) => client.check({ principal, resource, actions: ['read', 'echo', 'invalid'] }),
  (client) => client.plan({ principal, resource: { kind: 'values' }, actions: ['read'] }),
  (client) => client.isAllowed({ principal, resource, action: 'crash' }),
  (client) => client.isAllowed({ principal: { id: '', roles: [] }, resource, action: 'read' }),
];

/** Each call has an id of its own. */
function textOf(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) => (key === 'callId' ? undefined : value));
}

/** Failures differ in their causes, which name the runtime. */
function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${(error as { readonly code?: unknown }).code}` : String(error);
}
