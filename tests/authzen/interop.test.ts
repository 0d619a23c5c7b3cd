import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { loopbackConfig } from '../support/server/start.js';

/**
 * Two interop scenarios of AuthZEN: the todo application and API gateways. Requests only have ids of users, so the
 * policies know who has which role. The expected decisions follow from what the scenarios say of roles.
 */
interface User {
  /** As gateways send it: the subject of a token. */
  readonly identity: string;
  readonly email: string;
  readonly roles: readonly string[];
}

const user = (character: string, email: string, ...roles: readonly string[]): User => ({
  identity: `CiRmZD${character}2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs`,
  email,
  roles,
});
const USERS: readonly User[] = [
  user('A', 'rick@the-citadel.com', 'admin', 'evil_genius'),
  user('E', 'morty@the-citadel.com', 'editor'),
  user('I', 'summer@the-smiths.com', 'editor'),
  user('M', 'beth@the-smiths.com', 'viewer'),
  user('Q', 'jerry@the-smiths.com', 'viewer'),
];

const directory = (roles: readonly string[]): string =>
  JSON.stringify(
    USERS.filter((one) => one.roles.some((role) => roles.includes(role))).flatMap(({ email, identity }) => [
      email,
      identity,
    ]),
  );
const variables = `variables:
    local:
      editors: P.id in ${directory(['editor', 'admin', 'evil_genius'])}
      admins: P.id in ${directory(['admin'])}
      evil: P.id in ${directory(['evil_genius'])}`;
const rule = (actions: string, condition?: string): string =>
  `    - actions: ${actions}
      effect: EFFECT_ALLOW
      roles: ["*"]
${condition === undefined ? '' : `      condition: { match: { expr: '${condition}' } }\n`}`;

const POLICIES = {
  'user.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: user
  version: default
  rules:
${rule('[can_read_user]')}`,
  'todo.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: todo
  version: default
  ${variables}
  rules:
${rule('[can_read_todos]')}${rule('[can_create_todo]', 'V.editors')}${rule('[can_update_todo]', 'V.evil || V.editors && R.attr.ownerID == P.id')}${rule('[can_delete_todo]', 'V.admins || V.editors && R.attr.ownerID == P.id')}`,
  'route.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: route
  version: default
  ${variables}
  rules:
${rule('[GET]', 'R.id in ["/users/{userId}", "/todos"]')}${rule('[POST]', 'R.id == "/todos" && V.editors')}${rule('[PUT, DELETE]', 'R.id == "/todos/{todoId}" && V.editors')}`,
};

let server: RunningServer;
test.before(async () => {
  const config = loopbackConfig();
  server = await startServer(config, await loaded(compileTexts(POLICIES)));
});
test.after(() => server.close());

interface Row {
  readonly request: object;
  readonly expected: boolean;
}

const has = ({ roles }: User, ...wanted: readonly string[]): boolean => roles.some((role) => wanted.includes(role));
const isEditor = (one: User): boolean => has(one, 'editor', 'admin', 'evil_genius');

function todoRows(one: User): readonly Row[] {
  const [rick] = USERS as readonly [User, ...User[]];
  const other = one === rick ? (USERS[1] as User) : rick;
  const row = (name: string, resource: object, expected: boolean): Row => ({
    request: { subject: { type: 'user', id: one.email, identity: one.identity }, action: { name }, resource },
    expected,
  });
  const of = ({ email }: User): object => ({ type: 'todo', id: `todo-of-${email}`, properties: { ownerID: email } });
  return [
    row('can_read_user', { type: 'user', id: 'beth@the-smiths.com' }, true),
    row('can_read_user', { type: 'user', id: one.email, userID: one.identity }, true),
    row('can_read_todos', { type: 'todo', id: 'todo-1' }, true),
    row('can_create_todo', { type: 'todo', id: 'todo-1' }, isEditor(one)),
    row('can_update_todo', of(one), isEditor(one)),
    row('can_update_todo', of(other), has(one, 'evil_genius')),
    row('can_delete_todo', of(one), isEditor(one)),
    row('can_delete_todo', of(other), has(one, 'admin')),
  ];
}

function gatewayRows(one: User): readonly Row[] {
  const row = (method: string, id: string, expected: boolean): Row => ({
    request: {
      subject: { type: 'identity', id: one.identity },
      action: { name: method },
      resource: { type: 'route', id, properties: { uri: 'https://todo.example/x', schema: 'https' } },
      context: { type: 'rest' },
    },
    expected,
  });
  return [
    row('GET', '/users/{userId}', true),
    row('GET', '/todos', true),
    row('POST', '/todos', isEditor(one)),
    row('PUT', '/todos/{todoId}', isEditor(one)),
    row('DELETE', '/todos/{todoId}', isEditor(one)),
    row('GET', '/todos/{todoId}', false),
    row('PATCH', '/todos/{todoId}', false),
  ];
}

async function ask(path: string, body: object): Promise<unknown> {
  const { text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body), {
    'Content-Type': 'application/json',
  });
  return JSON.parse(text);
}

for (const [name, rows] of [
  ['the todo application', USERS.flatMap(todoRows)],
  ['API gateways', USERS.flatMap(gatewayRows)],
] as const) {
  test(`${name}: every decision of the scenario, one by one and as a batch`, async () => {
    for (const { request, expected } of rows)
      assert.equal(await ask('/access/v1/evaluation', request), { decision: expected }, JSON.stringify(request));
    assert.equal(await ask('/access/v1/evaluations', { evaluations: rows.map(({ request }) => request) }), {
      evaluations: rows.map(({ expected }) => ({ decision: expected })),
    });
  });
}

test.run();
