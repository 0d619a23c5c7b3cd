import type { Exchange, Expected, Requirement } from './requirement.js';

const EVALUATION = '/access/v1/evaluation';
const EVALUATIONS = '/access/v1/evaluations';
const SUBJECTS = '/access/v1/search/subject';
const RESOURCES = '/access/v1/search/resource';
const ACTIONS = '/access/v1/search/action';
const METADATA = '/.well-known/authzen-configuration';

const alice = { type: 'user', id: 'alice' };
const bob = { type: 'user', id: 'bob' };
const admin = { ...bob, properties: { role: 'admin' } };
const read = { name: 'read' };
const write = { name: 'write' };
const record1 = { type: 'record', id: 'record-1' };
const record2 = { type: 'record', id: 'record-2' };
const active = { ...record1, properties: { status: 'active' } };
const archived = { ...record2, properties: { status: 'archived' } };
const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };
const aliceReads = { subject: alice, action: read, resource: record1 };

const ok = (json: object): Expected => ({ status: 200, json });
const bad = (message: string): Expected => ({ status: 400, message });
const missing = (field: string): Expected => bad(`validation error: ${field}: value is required`);
const decision = (isAllowed: boolean): Expected => ok({ decision: isAllowed });
const decisions = (...all: readonly boolean[]): Expected =>
  ok({ evaluations: all.map((isAllowed) => ({ decision: isAllowed })) });
const found = (...results: readonly object[]): Expected => ok({ results });

const evaluate = (body: object | string, expected: Expected): Exchange => ({ path: EVALUATION, body, expected });
const evaluateAll = (body: object, expected: Expected): Exchange => ({ path: EVALUATIONS, body, expected });
const searchSubjects = (body: object, expected: Expected): Exchange => ({ path: SUBJECTS, body, expected });
const searchResources = (body: object, expected: Expected): Exchange => ({ path: RESOURCES, body, expected });
const searchActions = (body: object, expected: Expected): Exchange => ({ path: ACTIONS, body, expected });
const without = (body: object, key: string): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));

const BASIC: readonly Requirement[] = [
  {
    test: '2.2.1',
    plan: 'Basic Core',
    requirement: 'Rule 1: alice may read',
    exchanges: [evaluate(aliceReads, decision(true))],
  },
  {
    test: '1.4 rules 2, 3',
    plan: 'Basic Core',
    requirement: 'Rules 2 and 3: alice may write, bob may read',
    exchanges: [
      evaluate({ ...aliceReads, action: write }, decision(true)),
      evaluate({ ...aliceReads, subject: bob }, decision(true)),
    ],
  },
  {
    test: '2.2.2',
    plan: 'Basic Core',
    requirement: 'Rule 4: bob may not write. A denial has status 200',
    exchanges: [evaluate({ subject: bob, action: write, resource: record1 }, decision(false))],
  },
  {
    test: '2.2.3',
    plan: 'Basic Core',
    requirement: 'A context is accepted, and changes no decision of the fixture',
    exchanges: [
      evaluate({ ...aliceReads, context }, decision(true)),
      evaluate({ ...aliceReads, subject: bob, action: write, context }, decision(false)),
    ],
  },
  {
    test: '2.2.4',
    plan: 'Basic Properties',
    requirement: 'Rule 5: a property of the resource decides',
    exchanges: [evaluate({ subject: alice, action: write, resource: archived }, decision(false))],
  },
  {
    test: '2.2.5',
    plan: 'Basic Properties',
    requirement: 'Rule 6: a property of the subject decides',
    exchanges: [evaluate({ subject: admin, action: write, resource: archived }, decision(true))],
  },
  {
    test: '2.2.6',
    plan: 'Basic Properties',
    requirement: 'Rule 7: a property of the action decides',
    exchanges: [evaluate({ ...aliceReads, action: { name: 'delete', properties: { soft: true } } }, decision(true))],
  },
  {
    test: '2.2.7',
    plan: 'Basic Properties',
    requirement: 'Rule 8: the same property with another value denies',
    exchanges: [evaluate({ ...aliceReads, action: { name: 'delete', properties: { soft: false } } }, decision(false))],
  },
  {
    test: '2.2.8',
    plan: 'Basic Core',
    requirement: 'Properties that the fixture does not know are accepted on all three entities',
    exchanges: [
      evaluate(
        {
          subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
          action: { ...read, properties: { method: 'GET' } },
          resource: { ...record1, properties: { status: 'active', owner: 'bob' } },
        },
        decision(true),
      ),
    ],
  },
  {
    test: '2.2.9',
    plan: 'Basic Core',
    requirement: 'Unknown fields are ignored, at any depth',
    exchanges: [
      evaluate({ ...aliceReads, foo: 'bar', futureField: { nested: true } }, decision(true)),
      evaluate(
        {
          subject: { ...alice, name: 1 },
          action: { ...read, verbs: ['a'] },
          resource: { ...record1, owner: {} },
        },
        decision(true),
      ),
    ],
  },
  {
    test: '2.3',
    plan: 'Basic Core',
    requirement: 'The response has `decision`, a boolean, also if it is false, and `context` only as an object',
    exchanges: [
      evaluate({ ...aliceReads, context: { 'authz.requestId': 'r1' } }, decision(true)),
      evaluate(
        { subject: bob, action: write, resource: record1, context: { 'authz.includeMeta': true } },
        ok({
          decision: false,
          context: {
            'authz.response': {
              results: [
                {
                  resource: { id: 'record-1', kind: 'record' },
                  actions: { write: 'EFFECT_DENY' },
                  meta: { actions: { write: { matchedPolicy: 'resource.record.vdefault' } } },
                },
              ],
            },
          },
        }),
      ),
    ],
  },
  {
    test: '2.4.1',
    plan: 'Basic Core',
    requirement: 'Without `subject`, `action` or `resource`, the request is a bad one',
    exchanges: ['subject', 'action', 'resource'].map((part) => evaluate(without(aliceReads, part), missing(part))),
  },
  {
    test: '2.4.2',
    plan: 'Basic Core',
    requirement: 'So it is without `type`, `id` or `name`, or with an empty one',
    exchanges: [
      evaluate({ ...aliceReads, subject: { id: 'alice' } }, missing('subject.type')),
      evaluate({ ...aliceReads, subject: { type: 'user' } }, missing('subject.id')),
      evaluate({ ...aliceReads, action: {} }, missing('action.name')),
      evaluate({ ...aliceReads, resource: { id: 'record-1' } }, missing('resource.type')),
      evaluate({ ...aliceReads, resource: { type: 'record' } }, missing('resource.id')),
      evaluate({ ...aliceReads, subject: { type: 'user', id: '' } }, missing('subject.id')),
      evaluate({ ...aliceReads, subject: { type: 'user', id: null } }, missing('subject.id')),
    ],
  },
  {
    test: '2.4.3',
    plan: 'Basic Core',
    requirement: 'Another content type is a bad request',
    exchanges: [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'nonsense',
    ].map((type) => ({
      path: EVALUATION,
      body: aliceReads,
      headers: { 'Content-Type': type },
      expected: bad('the media type must be application/json'),
    })),
  },
  {
    test: '2.4.4',
    plan: 'Basic Core',
    requirement: 'So is a body that is not JSON, or not an object',
    exchanges: [
      evaluate('{"subject":', bad('unexpected EOF')),
      evaluate('{"subject": {"type": "user"', bad('unexpected EOF')),
      evaluate('[]', bad('invalid request: the request must be an object, not a list')),
      evaluate('"text"', bad('invalid request: the request must be an object, not a string')),
      evaluate('null', bad('invalid request: the request must be an object, not null')),
      evaluate('{} {}', bad('invalid JSON at line 1, column 4: unexpected "{" after the end of the document')),
    ],
  },
  {
    test: '2.4.5',
    plan: 'Basic Core',
    requirement: 'So is an empty body',
    exchanges: [
      evaluate(
        '',
        bad(
          'validation errors:\n - subject: value is required\n - resource: value is required\n - action: value is required',
        ),
      ),
    ],
  },
  {
    test: '2.4.6',
    plan: 'Basic Core',
    requirement: 'So is a field of another type',
    exchanges: [
      evaluate(
        { ...aliceReads, subject: 'alice' },
        bad('invalid request: field `subject` must be an object, not a string'),
      ),
      evaluate(
        { ...aliceReads, subject: [alice] },
        bad('invalid request: field `subject` must be an object, not a list'),
      ),
      evaluate(
        { ...aliceReads, action: { name: 123 } },
        bad('invalid request: field `action.name` must be a string, not a number'),
      ),
      evaluate(
        { ...aliceReads, subject: { type: 'user', id: 7 } },
        bad('invalid request: field `subject.id` must be a string, not a number'),
      ),
      evaluate(
        { ...aliceReads, resource: { ...record1, properties: [] } },
        bad('invalid request: field `resource.properties` must be an object, not a list'),
      ),
      evaluate(
        { ...aliceReads, context: 'now' },
        bad('invalid request: field `context` must be an object, not a string'),
      ),
    ],
  },
  {
    test: '2.4 duplicates',
    plan: 'Basic Core',
    requirement: 'So are two members of one name, which readers of JSON understand differently',
    exchanges: [
      evaluate(
        '{"subject":{"type":"user","id":"bob","id":"alice"},"action":{"name":"write"},"resource":{"type":"record","id":"record-1"}}',
        bad('invalid JSON at line 1, column 38: duplicate key "id"'),
      ),
    ],
  },
  {
    test: '2.6',
    plan: 'Basic Core',
    requirement: 'Equal requests have equal decisions',
    exchanges: [1, 2, 3, 4, 5].map(() => evaluate(aliceReads, decision(true))),
  },
];

const TRANSPORT: readonly Requirement[] = [
  {
    test: '5.1',
    plan: 'all',
    requirement:
      'HTTPS with `Content-Type: application/json` is accepted, also with a charset, in capitals, and left out',
    exchanges: ['application/json', 'application/json; charset=utf-8', 'Application/JSON', undefined].flatMap((type) =>
      [
        { path: EVALUATION, body: aliceReads, expected: decision(true) },
        { path: EVALUATIONS, body: aliceReads, expected: decision(true) },
        {
          path: ACTIONS,
          body: { subject: alice, resource: record1 },
          expected: found({ name: 'read' }, { name: 'write' }),
        },
      ].map((exchange) => ({ ...exchange, headers: type === undefined ? {} : { 'Content-Type': type } })),
    ),
  },
  {
    test: '2.5.1',
    plan: 'all',
    requirement: 'The response repeats `X-Request-ID`, also that of an error',
    exchanges: [
      { path: EVALUATION, body: aliceReads, expected: decision(true) },
      { path: EVALUATIONS, body: aliceReads, expected: decision(true) },
      {
        path: ACTIONS,
        body: { subject: alice, resource: record1 },
        expected: found({ name: 'read' }, { name: 'write' }),
      },
      { path: EVALUATION, body: { subject: alice, action: read }, expected: missing('resource') },
      { path: EVALUATION, body: '{', expected: bad('unexpected EOF') },
      { path: SUBJECTS, body: { subject: alice, action: read }, expected: missing('resource') },
      { path: RESOURCES, body: { subject: alice, action: read }, expected: missing('resource') },
      { path: ACTIONS, body: { subject: alice }, expected: missing('resource') },
    ].map((exchange) => ({
      ...exchange,
      headers: { 'Content-Type': 'application/json', 'X-Request-ID': 'bfe9eb29-ab87 / 1' },
      expected: { ...exchange.expected, headers: { 'x-request-id': 'bfe9eb29-ab87 / 1' } },
    })),
  },
  {
    test: '2.5.2',
    plan: 'all',
    requirement: 'Requests without `X-Request-ID` are answered',
    exchanges: [evaluate(aliceReads, decision(true))],
  },
];

const BATCH: readonly Requirement[] = [
  {
    test: '3.2.1',
    plan: 'Batch Core',
    requirement: 'Each evaluation has a decision',
    exchanges: [
      evaluateAll(
        { subject: alice, action: read, evaluations: [{ resource: record1 }, { resource: record2 }] },
        decisions(true, true),
      ),
    ],
  },
  {
    test: '3.2.2',
    plan: 'Batch Core',
    requirement: 'Decisions are right, and in the order of the evaluations (3.3.1 to 3.3.4)',
    exchanges: [
      evaluateAll(
        { subject: bob, resource: record1, evaluations: [{ action: read }, { action: write }] },
        decisions(true, false),
      ),
      evaluateAll(
        { subject: bob, resource: record1, evaluations: [{ action: write }, { action: read }, { action: write }] },
        decisions(false, true, false),
      ),
    ],
  },
  {
    test: '3.2.3',
    plan: 'Batch Properties',
    requirement: 'Properties of each resource decide its evaluation',
    exchanges: [
      evaluateAll(
        { subject: alice, action: write, evaluations: [{ resource: active }, { resource: archived }] },
        decisions(true, false),
      ),
    ],
  },
  {
    test: '3.2.4',
    plan: 'Batch Properties',
    requirement: 'So do properties of each subject',
    exchanges: [
      evaluateAll(
        { action: write, resource: archived, evaluations: [{ subject: alice }, { subject: admin }] },
        decisions(false, true),
      ),
    ],
  },
  {
    test: '3.2.5',
    plan: 'Batch Core',
    requirement: 'Evaluations may be complete, without defaults',
    exchanges: [
      evaluateAll(
        { evaluations: [aliceReads, { subject: bob, action: write, resource: record1 }] },
        decisions(true, false),
      ),
    ],
  },
  {
    test: '3.2.6',
    plan: 'Batch Core',
    requirement: 'The context of the batch counts for evaluations without their own',
    exchanges: [
      evaluateAll(
        {
          subject: alice,
          action: read,
          context: { time: '2025-06-27T18:03-07:00' },
          evaluations: [
            { resource: record1 },
            { resource: record2, context: { time: '2025-06-27T19:00-07:00', source: 'batch-override' } },
          ],
        },
        decisions(true, true),
      ),
    ],
  },
  {
    test: '3.2.7',
    plan: 'Batch Properties',
    requirement: 'An entity of an evaluation replaces the default as a whole',
    exchanges: [
      evaluateAll(
        { subject: alice, action: write, resource: active, evaluations: [{}, { resource: archived }] },
        decisions(true, false),
      ),
      evaluateAll(
        { subject: alice, action: write, resource: archived, evaluations: [{}, { resource: record1 }] },
        decisions(false, true),
      ),
    ],
  },
  {
    test: '3.4.1',
    plan: 'Batch Core',
    requirement: 'An evaluation that lacks a field is denied, and the others are decided',
    exchanges: [
      evaluateAll(
        {
          subject: alice,
          action: read,
          options: { evaluations_semantic: 'execute_all' },
          evaluations: [{ resource: record1 }, {}],
        },
        decisions(true, false),
      ),
      evaluateAll(
        {
          subject: alice,
          evaluations: [
            { action: read, resource: { type: 'record' } },
            { action: read, resource: { id: 'record-1' } },
            { action: {}, resource: record1 },
            { action: read, subject: { type: 'user' }, resource: record1 },
            { action: read, resource: record1 },
          ],
        },
        decisions(false, false, false, false, true),
      ),
      evaluateAll(
        {
          subject: alice,
          action: read,
          resource: record1,
          evaluations: [{}, { resource: { id: 'record-1' } }],
        },
        decisions(true, false),
      ),
    ],
  },
  {
    test: '3.4 semantics',
    plan: 'Batch Core',
    requirement: 'The list ends with the first denial, or the first permission, if the batch asks for that',
    exchanges: [
      evaluateAll(
        {
          subject: bob,
          resource: record1,
          options: { evaluations_semantic: 'deny_on_first_deny' },
          evaluations: [{ action: read }, { action: write }, { action: read }],
        },
        decisions(true, false),
      ),
      evaluateAll(
        {
          subject: bob,
          resource: record1,
          options: { evaluations_semantic: 'permit_on_first_permit' },
          evaluations: [{ action: write }, { action: read }, { action: read }],
        },
        decisions(false, true),
      ),
    ],
  },
  {
    test: '3.4.2',
    plan: 'Batch Core',
    requirement: 'Without `evaluations`, the request is a single evaluation',
    exchanges: [
      evaluateAll(aliceReads, decision(true)),
      evaluateAll({ subject: bob, action: write, resource: record1 }, decision(false)),
    ],
  },
  {
    test: '3.4.3',
    plan: 'Batch Core',
    requirement: 'So it is with an empty list of them',
    exchanges: [evaluateAll({ ...aliceReads, evaluations: [] }, decision(true))],
  },
  {
    test: '3.4 bad requests',
    plan: 'Batch Core',
    requirement: 'A batch that is not one as a whole is a bad request',
    exchanges: [
      evaluateAll(
        { ...aliceReads, evaluations: {} },
        bad('invalid request: field `evaluations` must be a list, not an object'),
      ),
      evaluateAll(
        { ...aliceReads, evaluations: ['a'] },
        bad('invalid request: field `evaluations[]` must be an object, not a string'),
      ),
      evaluateAll(
        { subject: alice, action: read, evaluations: [] },
        bad('validation error: evaluations: must contain at least 1 item(s)'),
      ),
      evaluateAll(
        { subject: alice, action: read, evaluations: [{}] },
        bad('validation error: resource must be set for all evaluations, or for some of them'),
      ),
      evaluateAll(
        { ...aliceReads, options: { evaluations_semantic: 'later' }, evaluations: [{}] },
        bad(
          'validation error: options.evaluations_semantic: must be in list [, execute_all, deny_on_first_deny, permit_on_first_permit]',
        ),
      ),
      {
        path: EVALUATIONS,
        body: aliceReads,
        headers: { 'Content-Type': 'text/plain' },
        expected: bad('the media type must be application/json'),
      },
      { path: EVALUATIONS, body: '', expected: bad('validation error: evaluations: must contain at least 1 item(s)') },
    ],
  },
];

const subjectsReading = { subject: { type: 'user' }, action: read, resource: record1 };
const recordsOfAlice = { subject: alice, action: read, resource: { type: 'record' } };
const actionsOfAlice = { subject: alice, resource: record1 };
const bothRecords = found(record1, record2);
const bothUsers = found(alice, bob);

const SEARCH: readonly Requirement[] = [
  {
    test: '4.2.1',
    plan: 'Search Core',
    requirement: 'S1: the subjects that may read',
    hasRows: true,
    exchanges: [searchSubjects(subjectsReading, bothUsers)],
  },
  {
    test: '4.2.2',
    plan: 'Search Core',
    requirement: 'A context is accepted in a search of subjects',
    hasRows: true,
    exchanges: [searchSubjects({ ...subjectsReading, context }, bothUsers)],
  },
  {
    test: '4.2.3',
    plan: 'Search Core',
    requirement: 'The id of the subject is ignored in a search of subjects',
    hasRows: true,
    exchanges: [
      searchSubjects({ ...subjectsReading, subject: alice }, bothUsers),
      searchSubjects({ ...subjectsReading, subject: { type: 'user', id: 'nobody' } }, bothUsers),
    ],
  },
  {
    test: '4.2.4',
    plan: 'Search Properties',
    requirement: 'S4: the subjects that may write an archived resource',
    hasRows: true,
    exchanges: [searchSubjects({ subject: { type: 'user' }, action: write, resource: archived }, found(bob))],
  },
  {
    test: '4.3.1',
    plan: 'Search Core',
    requirement: 'S2: the resources that alice may read',
    hasRows: true,
    exchanges: [searchResources(recordsOfAlice, bothRecords)],
  },
  {
    test: '4.3.2',
    plan: 'Search Core',
    requirement: 'A context is accepted in a search of resources',
    hasRows: true,
    exchanges: [searchResources({ ...recordsOfAlice, context }, bothRecords)],
  },
  {
    test: '4.3.3',
    plan: 'Search Core',
    requirement: 'The id of the resource is ignored in a search of resources',
    hasRows: true,
    exchanges: [
      searchResources({ ...recordsOfAlice, resource: record1 }, bothRecords),
      searchResources({ ...recordsOfAlice, resource: { type: 'record', id: 'nothing' } }, bothRecords),
    ],
  },
  {
    test: '4.3.4',
    plan: 'Search Properties',
    requirement: 'S5: the resources that an admin may write',
    hasRows: true,
    exchanges: [searchResources({ subject: admin, action: write, resource: { type: 'record' } }, found(record2))],
  },
  {
    test: '4.4.1',
    plan: 'Search Core',
    requirement: 'S3: the actions that alice may do',
    exchanges: [searchActions(actionsOfAlice, found({ name: 'read' }, { name: 'write' }))],
  },
  {
    test: '4.4.2',
    plan: 'Search Core',
    requirement: 'A context is accepted in a search of actions',
    exchanges: [searchActions({ ...actionsOfAlice, context }, found({ name: 'read' }, { name: 'write' }))],
  },
  {
    test: '4.4.3',
    plan: 'Search Properties',
    requirement: 'S6: the actions of an admin on an archived resource',
    exchanges: [searchActions({ subject: admin, resource: archived }, found({ name: 'read' }, { name: 'write' }))],
  },
  {
    test: '4.5 actions',
    plan: 'Search Core',
    requirement: 'A search of actions has pages; the last one has an empty `next_token`',
    exchanges: [
      searchActions(
        { ...actionsOfAlice, page: { limit: 1 } },
        ok({ page: { next_token: '<token>' }, results: [{ name: 'read' }] }),
      ),
      {
        ...searchActions(actionsOfAlice, ok({ page: { next_token: '' }, results: [{ name: 'write' }] })),
        isNextPage: true,
      },
      searchActions(
        { ...actionsOfAlice, page: {} },
        ok({ page: { next_token: '' }, results: [{ name: 'read' }, { name: 'write' }] }),
      ),
    ],
  },
  {
    test: '4.5.1, 4.5.2 subjects',
    plan: 'Search Core',
    requirement: 'A search of subjects has pages',
    hasRows: true,
    exchanges: [
      searchSubjects(
        { ...subjectsReading, page: { limit: 1 } },
        ok({ page: { next_token: '<token>' }, results: [alice] }),
      ),
      { ...searchSubjects(subjectsReading, ok({ page: { next_token: '' }, results: [bob] })), isNextPage: true },
    ],
  },
  {
    test: '4.5.1, 4.5.2 resources',
    plan: 'Search Core',
    requirement: 'A search of resources has pages',
    hasRows: true,
    exchanges: [
      searchResources(
        { ...recordsOfAlice, page: { limit: 1 } },
        ok({ page: { next_token: '<token>' }, results: [record1] }),
      ),
      { ...searchResources(recordsOfAlice, ok({ page: { next_token: '' }, results: [record2] })), isNextPage: true },
    ],
  },
  {
    test: '4.5 token',
    plan: 'Search Core',
    requirement: 'A token of another request, or of nobody, is a bad request; so is a limit that is not a count',
    exchanges: [
      searchActions(
        { ...actionsOfAlice, page: { limit: 1 } },
        ok({ page: { next_token: '<token>' }, results: [{ name: 'read' }] }),
      ),
      {
        ...searchActions({ ...actionsOfAlice, subject: bob }, bad('`page.token` does not belong to this request')),
        isNextPage: true,
      },
      searchActions({ ...actionsOfAlice, page: { token: 'zzz' } }, bad('`page.token` does not belong to this request')),
      searchActions(
        { ...actionsOfAlice, page: { limit: -1 } },
        bad('invalid request: field `page.limit` must be a number that is not negative'),
      ),
      searchActions(
        { ...actionsOfAlice, page: { limit: 1.5 } },
        bad('invalid request: field `page.limit` must be a number that is not negative'),
      ),
      searchActions(
        { ...actionsOfAlice, page: { limit: 1e99 } },
        bad('invalid request: field `page.limit` must be a number that is not negative'),
      ),
      searchActions(
        { ...actionsOfAlice, page: 1 },
        bad('invalid request: field `page` must be an object, not a number'),
      ),
    ],
  },
  {
    test: '4.6.1 actions',
    plan: 'Search Core',
    requirement: 'A subject or a resource that nobody knows has no results in a search of actions',
    hasRows: true,
    exchanges: [
      searchActions({ subject: { type: 'user', id: 'nonexistent-user' }, resource: record1 }, found()),
      searchActions({ subject: alice, resource: { type: 'record', id: 'nonexistent-record' } }, found()),
    ],
  },
  {
    test: '4.6.1 subjects, resources',
    plan: 'Search Core',
    requirement: 'So has it in the other searches',
    hasRows: true,
    exchanges: [
      searchSubjects({ ...subjectsReading, resource: { type: 'record', id: 'nonexistent-record' } }, found()),
      searchResources({ ...recordsOfAlice, subject: { type: 'user', id: 'nonexistent-user' } }, found()),
    ],
  },
  {
    test: '4.6.2 actions',
    plan: 'Search Core',
    requirement: 'A type that nobody knows has no results in a search of actions',
    exchanges: [
      searchActions({ subject: { type: 'spaceship', id: 'alice' }, resource: record1 }, found()),
      searchActions({ subject: alice, resource: { type: 'spaceship', id: 'record-1' } }, found()),
    ],
  },
  {
    test: '4.6.2 subjects, resources',
    plan: 'Search Core',
    requirement: 'So has it in the other searches',
    hasRows: true,
    exchanges: [
      searchSubjects({ ...subjectsReading, subject: { type: 'spaceship' } }, found()),
      searchSubjects({ ...subjectsReading, resource: { type: 'spaceship', id: 'record-1' } }, found()),
      searchSubjects({ ...subjectsReading, action: { name: 'fly' } }, found()),
      searchResources({ ...recordsOfAlice, resource: { type: 'spaceship' } }, found()),
      searchResources({ ...recordsOfAlice, subject: { type: 'spaceship', id: 'alice' } }, found()),
      searchResources({ ...recordsOfAlice, action: { name: 'fly' } }, found()),
    ],
  },
  {
    test: '4.7.1',
    plan: 'Search Core',
    requirement: 'A search without an entity is a bad request',
    exchanges: [
      ...['subject', 'action', 'resource'].map((part) => searchSubjects(without(subjectsReading, part), missing(part))),
      ...['subject', 'action', 'resource'].map((part) => searchResources(without(recordsOfAlice, part), missing(part))),
      ...['subject', 'resource'].map((part) => searchActions(without(actionsOfAlice, part), missing(part))),
    ],
  },
  {
    test: '4.7.2',
    plan: 'Search Core',
    requirement: 'So is one whose given entities lack a field; only the searched one needs no `id`',
    exchanges: [
      searchSubjects({ ...subjectsReading, resource: { type: 'record' } }, missing('resource.id')),
      searchSubjects({ ...subjectsReading, subject: { id: 'alice' } }, missing('subject.type')),
      searchSubjects({ ...subjectsReading, action: {} }, missing('action.name')),
      searchResources({ ...recordsOfAlice, subject: { type: 'user' } }, missing('subject.id')),
      searchResources({ ...recordsOfAlice, resource: {} }, missing('resource.type')),
      searchResources({ ...recordsOfAlice, action: {} }, missing('action.name')),
      searchActions({ ...actionsOfAlice, subject: { type: 'user' } }, missing('subject.id')),
      searchActions({ ...actionsOfAlice, resource: { type: 'record' } }, missing('resource.id')),
    ],
  },
];

const BASE = '<base>';
const ENDPOINTS = {
  policy_decision_point: BASE,
  access_evaluation_endpoint: `${BASE}${EVALUATION}`,
  access_evaluations_endpoint: `${BASE}${EVALUATIONS}`,
};

const DISCOVERY: readonly Requirement[] = [
  {
    test: '6.1 to 6.5',
    plan: 'Discovery',
    requirement:
      'Metadata name the address that the caller used, and the endpoints that answer; no capabilities, no signature',
    hasRows: false,
    exchanges: [
      { path: METADATA, expected: ok({ ...ENDPOINTS, search_action_endpoint: `${BASE}${ACTIONS}` }) },
      {
        path: METADATA,
        headers: { 'X-Request-ID': 'm1' },
        expected: {
          status: 200,
          json: { ...ENDPOINTS, search_action_endpoint: `${BASE}${ACTIONS}` },
          headers: { 'x-request-id': 'm1' },
        },
      },
    ],
  },
  {
    test: '6.4 searches',
    plan: 'Discovery',
    requirement: 'With rows to search, metadata name the searches of subjects and resources, too',
    hasRows: true,
    exchanges: [
      {
        path: METADATA,
        expected: ok({
          ...ENDPOINTS,
          search_subject_endpoint: `${BASE}${SUBJECTS}`,
          search_resource_endpoint: `${BASE}${RESOURCES}`,
          search_action_endpoint: `${BASE}${ACTIONS}`,
        }),
      },
    ],
  },
];

/** What the certification scenario of AuthZEN 1.0 requires (docs/api.md#authzen). */
export const REQUIREMENTS: readonly Requirement[] = [...BASIC, ...TRANSPORT, ...BATCH, ...SEARCH, ...DISCOVERY];
