import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Claims, type Evaluation, type McpRefusal, mcpGuard } from '../../packages/mcp-guard/index.js';
import { METHODS } from '../../packages/mcp-guard/methods.js';

const ANN: Claims = { sub: 'ann', aud: ['other', 'files'] };
const TOOLS = [{ name: 'read', inputSchema: { type: 'object' } }];

async function decide(
  method: string,
  params: object | undefined,
  { token = ANN, answer = true as unknown }: { readonly token?: Claims | undefined; readonly answer?: unknown } = {},
): Promise<{ readonly asked: readonly Evaluation[]; readonly refusal: McpRefusal | undefined }> {
  const asked: Evaluation[] = [];
  const guard = mcpGuard({
    tools: TOOLS,
    server: 'files',
    decisionPoint: async (evaluation) => {
      asked.push(evaluation);
      if (answer instanceof Error) throw answer;
      return answer as boolean;
    },
  });
  return { refusal: await guard.refusalOf({ method, params }, token), asked };
}

test('methods without a mapping of their own ask about what they name', async () => {
  for (const [method, params, resource] of [
    ['tools/list', undefined, { type: 'mcp_server', id: 'files' }],
    ['tools/call', { name: 'read' }, { type: 'tool', id: 'read' }],
    ['resources/read', { uri: 'file:///a' }, { type: 'resource', id: 'file:///a' }],
    ['prompts/get', { name: 'p' }, { type: 'prompt', id: 'p' }],
    ['tasks/cancel', { taskId: 't1' }, { type: 'task', id: 't1' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' } }, { type: 'prompt', id: 'p' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'u' } }, { type: 'resource', id: 'u' }],
  ] as const) {
    const { asked, refusal } = await decide(method, params);
    assert.is(refusal, undefined, method);
    assert.equal(asked, [{ action: { name: method }, resource, subject: { type: 'identity', id: 'ann' } }]);
  }
});

test('every method with a rule is decided, or passes without a question', async () => {
  for (const [method, rule] of METHODS) {
    const { asked, refusal } = await decide(method, {
      name: 'read',
      uri: 'u',
      taskId: 't',
      ref: { type: 'ref/prompt', name: 'p' },
    });
    assert.is(refusal, undefined, method);
    assert.is(asked.length, rule === 'passes' ? 0 : 1, method);
    const denied = await decide(method, undefined, { answer: false });
    assert.is(denied.refusal === undefined, rule === 'passes', method);
  }
});

test('unknown methods are denied, and their names are not found on prototypes', async () => {
  for (const method of ['tools/delete', 'TOOLS/CALL', 'tools/call ', '', 'constructor', '__proto__']) {
    const { asked, refusal } = await decide(method, { name: 'read' });
    assert.is(refusal?.reason, 'denied', method);
    assert.equal(asked, []);
  }
});

test('requests without a verified subject are refused before anything is asked', async () => {
  for (const token of [{}, { sub: '' }, { sub: 7 }, { SUB: 'ann' }, Object.create({ sub: 'ann' }) as Claims]) {
    const { asked, refusal } = await decide('tools/call', { name: 'read' }, { token });
    assert.is(refusal?.reason, 'unverified');
    assert.equal(asked, []);
  }
  const guard = mcpGuard({ tools: TOOLS, server: 'files', decisionPoint: async () => true });
  assert.is((await guard.refusalOf({ method: 'tools/list' }, undefined))?.reason, 'unverified');
});

test('questions about the server need it as an audience of the token', async () => {
  for (const aud of [undefined, 'other', ['other'], [['files']], { files: true }, 'files2']) {
    const token = { sub: 'ann', ...(aud !== undefined && { aud }) } as Claims;
    assert.is((await decide('tools/list', undefined, { token })).refusal?.reason, 'mapping');
  }
  assert.is((await decide('tools/list', undefined, { token: { sub: 'ann', aud: 'files' } })).refusal, undefined);
});

test('calls of unknown tools, and requests without what they name, cannot be mapped', async () => {
  for (const [method, params] of [
    ['tools/call', { name: 'write' }],
    ['tools/call', { name: ['read'] }],
    ['tools/call', { name: 'toString' }],
    ['tools/call', undefined],
    ['tools/call', { name: 'read', arguments: 'text' }],
    ['resources/read', {}],
    ['resources/read', { uri: 3 }],
    ['tasks/get', { taskId: '' }],
    ['completion/complete', { ref: { type: 'ref/prompt' } }],
  ] as const) {
    const { asked, refusal } = await decide(method, params);
    assert.is(refusal?.reason, 'mapping', `${method} ${JSON.stringify(params)}`);
    assert.equal(asked, []);
  }
});

test('only `true` is an answer that allows', async () => {
  for (const answer of [false, 1, 'true', {}, null])
    assert.is((await decide('tools/list', undefined, { answer })).refusal?.reason, 'denied');
  const lost = await decide('tools/list', undefined, { answer: new Error('connection refused') });
  assert.equal(lost.refusal, { reason: 'no-answer', detail: 'connection refused' });
});

test('all evaluations of a mapping must be allowed', async () => {
  const mapping = {
    evaluations: {
      action: { name: 'move' },
      evaluations: ['a', 'b', 'c'].map((id) => ({ resource: { type: 'box', id } })),
    },
  };
  const decided = async (denied: string | undefined) => {
    const guard = mcpGuard({
      tools: [{ name: 'move', inputSchema: { type: 'object', 'x-authzen-mapping': mapping } }],
      server: 'files',
      decisionPoint: async ({ resource }) => resource.id !== denied,
    });
    return (await guard.refusalOf({ method: 'tools/call', params: { name: 'move' } }, ANN))?.reason;
  };
  assert.equal(await Promise.all([undefined, 'a', 'b', 'c'].map(decided)), [undefined, 'denied', 'denied', 'denied']);
});

test('refusals are told to a log', async () => {
  const told: string[] = [];
  const guard = mcpGuard({
    tools: TOOLS,
    server: 'files',
    decisionPoint: async () => false,
    onRefusal: ({ reason, detail }, { method }) => void told.push(`${method} ${reason}: ${detail}`),
  });
  await guard.refusalOf({ method: 'tools/list' }, ANN);
  assert.equal(told, ['tools/list denied: the decision point denies it']);
});

test.run();
