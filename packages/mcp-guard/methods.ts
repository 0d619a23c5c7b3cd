/**
 * What the guard asks about a method of the protocol: nothing, about the server as a whole, or the evaluation that a
 * mapping makes of its parameters.
 */
export type MethodRule = 'passes' | 'server' | { readonly type: string; readonly id: string };

/**
 * The methods of both versions of the protocol. A method that is not here is denied
 * (docs/decisions/messages-and-transports.md#0074).
 */
export const METHODS: ReadonlyMap<string, MethodRule> = new Map<string, MethodRule>([
  ['initialize', 'passes'],
  ['ping', 'passes'],
  ['server/discover', 'passes'],
  ['completion/complete', completed()],
  ['logging/setLevel', 'server'],
  ['prompts/get', { type: 'prompt', id: '$params.name' }],
  ['prompts/list', 'server'],
  ['resources/list', 'server'],
  ['resources/read', { type: 'resource', id: '$params.uri' }],
  ['resources/subscribe', { type: 'resource', id: '$params.uri' }],
  ['resources/templates/list', 'server'],
  ['resources/unsubscribe', { type: 'resource', id: '$params.uri' }],
  ['subscriptions/listen', 'server'],
  ['tasks/cancel', { type: 'task', id: '$params.taskId' }],
  ['tasks/get', { type: 'task', id: '$params.taskId' }],
  ['tasks/list', 'server'],
  ['tasks/result', { type: 'task', id: '$params.taskId' }],
  ['tasks/update', { type: 'task', id: '$params.taskId' }],
  ['tools/call', { type: 'tool', id: '$params.name' }],
  ['tools/list', 'server'],
]);

/** What is completed is an argument of a prompt, or of the template of a resource. */
function completed(): MethodRule {
  const isPrompt = 'params.ref.type == "ref/prompt"';
  return { type: `$${isPrompt} ? "prompt" : "resource"`, id: `$${isPrompt} ? params.ref.name : params.ref.uri` };
}
