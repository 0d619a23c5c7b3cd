import { CALL_ID, type Example } from './example.js';

/** Examples of CheckResources. */
export const CHECK_EXAMPLES: readonly Example[] = [
  {
    name: 'owner',
    summary: 'The owner of an album, which is locked',
    request: {
      requestId: 'album-page-1',
      includeMeta: true,
      principal: { id: 'alice', roles: ['user'], attr: { department: 'design' } },
      resources: [
        {
          actions: ['view', 'edit', 'delete'],
          resource: {
            kind: 'album',
            id: 'summer-2024',
            attr: { owner: 'alice', visibility: 'friends', friends: ['bob'], status: 'LOCKED', lockedBy: 'moderation' },
          },
        },
      ],
    },
    response: {
      requestId: 'album-page-1',
      results: [
        {
          resource: { id: 'summer-2024', kind: 'album' },
          actions: { delete: 'EFFECT_DENY', edit: 'EFFECT_DENY', view: 'EFFECT_ALLOW' },
          meta: {
            actions: {
              delete: { matchedPolicy: 'resource.album.vdefault' },
              edit: { matchedPolicy: 'resource.album.vdefault' },
              view: { matchedPolicy: 'resource.album.vdefault' },
            },
            effectiveDerivedRoles: ['owner'],
          },
          outputs: [
            { src: 'resource.album.vdefault#locked', val: { by: 'moderation', reason: 'locked' }, action: 'edit' },
            { src: 'resource.album.vdefault#locked', val: { by: 'moderation', reason: 'locked' }, action: 'delete' },
          ],
        },
      ],
      authzCallId: CALL_ID,
    },
  },
  {
    name: 'severalResources',
    summary: 'Several resources in one call',
    request: {
      principal: { id: 'bob', roles: ['user'] },
      resources: [
        {
          actions: ['view', 'edit'],
          resource: {
            kind: 'album',
            id: 'summer-2024',
            attr: { owner: 'alice', visibility: 'friends', friends: ['bob'], status: 'OPEN' },
          },
        },
        { actions: ['read', 'update'], resource: { kind: 'contact', id: '17' } },
      ],
    },
    response: {
      results: [
        { resource: { id: 'summer-2024', kind: 'album' }, actions: { edit: 'EFFECT_DENY', view: 'EFFECT_ALLOW' } },
        { resource: { id: '17', kind: 'contact' }, actions: { read: 'EFFECT_ALLOW', update: 'EFFECT_DENY' } },
      ],
      authzCallId: CALL_ID,
    },
  },
  {
    name: 'unknownKind',
    summary: 'What no policy allows is denied',
    request: {
      principal: { id: 'bob', roles: ['user'] },
      resources: [{ actions: ['open'], resource: { kind: 'vault', id: '1' } }],
    },
    response: {
      results: [{ resource: { id: '1', kind: 'vault' }, actions: { open: 'EFFECT_DENY' } }],
      authzCallId: CALL_ID,
    },
  },
];
