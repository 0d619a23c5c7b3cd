import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesIn, PROGRAMS } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';

const test = suite('authzc mcp');

const policy = (condition: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - name: audience
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: '${condition}'}}
`;
const TESTS = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {open: {kind: document, id: d1, attr: {visibility: public}}}
tests:
  - name: everybody sees what is public
    input: {principals: [ann], resources: [open], actions: [view]}
    expected: [{principal: ann, resource: open, actions: {view: EFFECT_ALLOW}}]
`;
const PUBLIC = 'R.attr.visibility == "public"';
const ANN = { id: 'ann', roles: ['user'] };
const documentOf = (visibility: string) => ({ kind: 'document', id: 'd1', attr: { visibility } });

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: unknown;
}
interface Session {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string; readonly annotations?: object }[] }>;
  callTool(call: { readonly name: string; readonly arguments: { readonly [name: string]: unknown } }): Promise<unknown>;
  close(): Promise<void>;
}

let repository: Repository;
const sessions: Session[] = [];
test.before.each(() => {
  repository = newRepository();
  repository.commit({ 'policies/document.yaml': policy(PUBLIC), 'policies/document_test.yaml': TESTS });
});
test.after.each(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  repository.remove();
});

const program = () => ({ command: process.execPath, args: [PROGRAMS.authzc, 'mcp'], cwd: repository.folder });

async function open(): Promise<Session> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StdioClientTransport(program()));
  sessions.push(client as Session);
  return client as Session;
}

async function openEarlier(): Promise<Session> {
  const client = new EarlierClient({ name: 'test', version: '1' });
  await client.connect(new EarlierTransport(program()) as never);
  sessions.push(client as Session);
  return client as Session;
}

async function call(session: Session, name: string, input: { readonly [name: string]: unknown } = {}): Promise<Answer> {
  return (await session.callTool({ name, arguments: input })) as Answer;
}

const textOf = ({ content }: Answer): string => content.map(({ text }) => text).join('\n');

for (const [era, connect] of [
  ['clients of the current protocol', open],
  ['clients of the protocol with a handshake', openEarlier],
] as const) {
  test(`${era} see six tools that change nothing, and decide with them`, async () => {
    const session = await connect();
    const { tools } = await session.listTools();
    assert.equal(
      tools.map(({ name }) => name),
      ['compile', 'check', 'explain', 'plan', 'test', 'diff'],
    );
    for (const { annotations } of tools)
      assert.equal(annotations, {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    const request = { principal: ANN, actions: ['view', 'edit'] };
    const decided = await call(session, 'check', { ...request, resource: documentOf('public') });
    const { actions } = decided.structuredContent as {
      readonly actions: readonly { readonly action: string; readonly allowed: boolean }[];
    };
    assert.equal(
      actions.map(({ action, allowed }) => [action, allowed]),
      [
        ['view', true],
        ['edit', false],
      ],
    );
    assert.equal(JSON.parse(textOf(decided)), decided.structuredContent);
  });
}

test('actors are asked about in checks and plans, and not in explanations', async () => {
  const session = await open();
  const acting = (...roles: readonly string[]) => ({
    ...ANN,
    actors: roles.map((role) => ({ id: 'bot', roles: [role] })),
  });
  for (const [role, allowed] of [
    ['user', true],
    ['stranger', false],
  ] as const) {
    const request = { principal: acting(role), actions: ['view'] };
    const decided = await call(session, 'check', { ...request, resource: documentOf('public') });
    const { actions } = decided.structuredContent as { readonly actions: readonly { readonly allowed: boolean }[] };
    assert.is(actions[0]?.allowed, allowed);
    const planned = await call(session, 'plan', { ...request, kind: 'document' });
    assert.is(/NO_MATCH/.test(textOf(planned)), !allowed);
  }
  const explained = await call(session, 'explain', {
    principal: acting('user'),
    resource: documentOf('public'),
    action: 'view',
  });
  assert.is(explained.isError, true);
  assert.match(textOf(explained), /actors/);
});

test('compile returns the diagnostics of the files as they are now; other tools say that they do not compile', async () => {
  const session = await open();
  assert.match(textOf(await call(session, 'compile')), 'compile without diagnostics');
  const file = join(repository.folder, 'policies/document.yaml');
  writeFileSync(file, policy('R.attr.visibility =='));
  const { structuredContent } = await call(session, 'compile');
  const [problem] = (structuredContent as { readonly errors: readonly { readonly code: string }[] }).errors;
  assert.is(problem?.code, 'expression/invalid');
  const refused = await call(session, 'check', { principal: ANN, resource: documentOf('public'), actions: ['view'] });
  assert.is(refused.isError, true);
  assert.match(textOf(refused), 'The policies do not compile.');
  assert.match(textOf(refused), 'document.yaml:10');
  writeFileSync(file, policy('R.attr.visibility == "family"'));
  const mended = await call(session, 'plan', { principal: ANN, kind: 'document', actions: ['view'] });
  assert.match(textOf(mended), '"family"');
});

test('explain and plan say what decides', async () => {
  const session = await open();
  const explained = await call(session, 'explain', { principal: ANN, resource: documentOf('secret'), action: 'view' });
  assert.match(textOf(explained), 'R.attr.visibility == "public"');
  assert.match(textOf(explained), '"secret"');
  const planned = await call(session, 'plan', { principal: ANN, kind: 'document', actions: ['view'] });
  const { filter } = planned.structuredContent as { readonly filter: { readonly kind: string } };
  assert.is(filter.kind, 'KIND_CONDITIONAL');
});

test('test runs the suites, and diff compares with a revision', async () => {
  const session = await open();
  const tested = await call(session, 'test');
  const { summary } = tested.structuredContent as { readonly summary: { readonly overallResult: string } };
  assert.is(summary.overallResult, 'RESULT_PASSED', textOf(tested));
  assert.match(textOf(await call(session, 'diff', { revision: 'HEAD' })), 'no decision changes');
  writeFileSync(
    join(repository.folder, 'policies/document.yaml'),
    policy(`${PUBLIC} || R.attr.visibility == "family"`),
  );
  const changed = await call(session, 'diff', { revision: 'HEAD' });
  assert.match(textOf(changed), '1 widened');
  assert.match(textOf(changed), 'family');
});

test('wrong input is an answer that names it; nothing outside of the repository is read, and no file is written', async () => {
  const session = await open();
  const before = filesIn(repository.folder).filter((file) => !file.startsWith('.git/'));
  for (const [name, input, message] of [
    ['check', { principal: { id: 'ann' }, resource: documentOf('public'), actions: ['view'] }, /roles/],
    ['check', { principal: ANN, resource: documentOf('public'), actions: [] }, /actions/],
    ['explain', { principal: ANN, resource: { kind: 'document' }, action: 'view' }, /id/],
    ['test', { filter: 'nothing' }, /./],
    ['diff', { revision: 'no-such-branch' }, /no-such-branch/],
    ['diff', { revision: '--output=x' }, /./],
    ['diff', { revision: '/etc' }, /./],
  ] as const) {
    const answer = await call(session, name, input);
    assert.is(answer.isError, true, `${name} ${JSON.stringify(input)}`);
    assert.match(textOf(answer), message);
  }
  await call(session, 'test');
  assert.equal(
    filesIn(repository.folder).filter((file) => !file.startsWith('.git/')),
    before,
  );
  assert.is(readFileSync(join(repository.folder, 'policies/document.yaml'), 'utf8'), policy(PUBLIC));
});

test.run();
