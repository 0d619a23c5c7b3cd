import type { Example } from './example.js';

/** Examples of AccessEvaluation. */
export const EVALUATION_EXAMPLES: readonly Example[] = [
  {
    name: 'decision',
    summary: 'May Alice look at her album?',
    request: {
      subject: { type: 'user', id: 'alice' },
      resource: {
        type: 'album',
        id: 'summer-2024',
        properties: { owner: 'alice', visibility: 'private', status: 'OPEN' },
      },
      action: { name: 'view' },
    },
    response: { decision: true },
  },
  {
    name: 'withMeta',
    summary: 'The same for somebody with two roles, and with the check behind the answer',
    request: {
      subject: { type: 'user', id: 'bob', properties: { 'authz.roles': ['user', 'guest:family'] } },
      resource: {
        type: 'album',
        id: 'summer-2024',
        properties: { owner: 'alice', visibility: 'friends', friends: ['bob'], status: 'OPEN' },
      },
      action: { name: 'edit' },
      context: { 'authz.requestId': 'album-page-2', 'authz.includeMeta': true },
    },
    response: {
      decision: false,
      context: {
        'authz.response': {
          requestId: 'album-page-2',
          results: [
            {
              resource: { id: 'summer-2024', kind: 'album' },
              actions: { edit: 'EFFECT_DENY' },
              meta: { actions: { edit: { matchedPolicy: 'resource.album.vdefault' } } },
            },
          ],
        },
      },
    },
  },
];

/** Examples of ActionSearch. */
export const ACTION_SEARCH_EXAMPLES: readonly Example[] = [
  {
    name: 'actions',
    summary: 'What may Alice do with her album?',
    request: {
      subject: { type: 'user', id: 'alice' },
      resource: {
        type: 'album',
        id: 'summer-2024',
        properties: { owner: 'alice', visibility: 'private', status: 'OPEN' },
      },
    },
    response: { results: [{ name: 'delete' }, { name: 'edit' }, { name: 'view' }] },
  },
];

/** Examples of SubjectSearch. */
export const SUBJECT_SEARCH_EXAMPLES: readonly Example[] = [
  {
    name: 'subjects',
    summary: 'Who may edit this album?',
    request: {
      subject: { type: 'user' },
      action: { name: 'edit' },
      resource: { type: 'album', id: 'summer-2024' },
    },
    response: { results: [{ type: 'user', id: 'alice' }] },
  },
];

/** Examples of ResourceSearch. */
export const RESOURCE_SEARCH_EXAMPLES: readonly Example[] = [
  {
    name: 'resources',
    summary: 'Which albums may Alice edit? The first page',
    request: {
      subject: { type: 'user', id: 'alice' },
      action: { name: 'edit' },
      resource: { type: 'album' },
      page: { limit: 2 },
    },
    response: {
      page: { next_token: 'k1v0zB3dVtvyrYZ3mVYVMXN1bW1lci0yMDI0' },
      results: [
        { type: 'album', id: 'autumn-2023' },
        { type: 'album', id: 'summer-2024' },
      ],
    },
  },
];

/** Examples of AccessEvaluationBatch. */
export const EVALUATIONS_EXAMPLES: readonly Example[] = [
  {
    name: 'defaults',
    summary: 'One subject and one action, two resources',
    request: {
      subject: { type: 'user', id: 'alice' },
      action: { name: 'view' },
      evaluations: [
        {
          resource: {
            type: 'album',
            id: 'summer-2024',
            properties: { owner: 'alice', visibility: 'private', status: 'OPEN' },
          },
        },
        {
          resource: {
            type: 'album',
            id: 'winter-2023',
            properties: { owner: 'bob', visibility: 'private', status: 'OPEN' },
          },
        },
      ],
    },
    response: { evaluations: [{ decision: true }, { decision: false }] },
  },
  {
    name: 'denyOnFirstDeny',
    summary: 'Nothing more is answered after the first denial',
    request: {
      subject: { type: 'user', id: 'bob' },
      evaluations: [
        { action: { name: 'update' }, resource: { type: 'contact', id: '17' } },
        { action: { name: 'read' }, resource: { type: 'contact', id: '17' } },
      ],
      options: { evaluations_semantic: 'deny_on_first_deny' },
    },
    response: { evaluations: [{ decision: false }] },
  },
];
