import type { Example } from './example.js';

/** Examples of CheckResourceSet. */
export const CHECK_SET_EXAMPLES: readonly Example[] = [
  {
    name: 'instances',
    summary: 'Two albums, by their ids',
    request: {
      includeMeta: true,
      actions: ['view', 'edit'],
      principal: { id: 'alice', roles: ['user'] },
      resource: {
        kind: 'album',
        instances: {
          'summer-2024': { attr: { owner: 'alice', visibility: 'private', status: 'OPEN' } },
          'winter-2023': { attr: { owner: 'bob', visibility: 'public', status: 'OPEN' } },
        },
      },
    },
    response: {
      resourceInstances: {
        'summer-2024': { actions: { edit: 'EFFECT_ALLOW', view: 'EFFECT_ALLOW' } },
        'winter-2023': { actions: { edit: 'EFFECT_DENY', view: 'EFFECT_ALLOW' } },
      },
      meta: {
        resourceInstances: {
          'summer-2024': {
            actions: {
              edit: { matchedPolicy: 'resource.album.vdefault' },
              view: { matchedPolicy: 'resource.album.vdefault' },
            },
            effectiveDerivedRoles: ['owner'],
          },
          'winter-2023': {
            actions: {
              edit: { matchedPolicy: 'resource.album.vdefault' },
              view: { matchedPolicy: 'resource.album.vdefault' },
            },
          },
        },
      },
    },
  },
];

/** Examples of CheckResourceBatch. */
export const CHECK_BATCH_EXAMPLES: readonly Example[] = [
  {
    name: 'entries',
    summary: 'Two resources, with the actions of each',
    request: {
      principal: { id: 'bob', roles: ['user'] },
      resources: [
        {
          actions: ['view'],
          resource: {
            kind: 'album',
            id: 'summer-2024',
            attr: { owner: 'alice', visibility: 'public', status: 'OPEN' },
          },
        },
        { actions: ['read', 'update'], resource: { kind: 'contact', id: '17' } },
      ],
    },
    response: {
      results: [
        { resourceId: 'summer-2024', actions: { view: 'EFFECT_ALLOW' } },
        { resourceId: '17', actions: { read: 'EFFECT_ALLOW', update: 'EFFECT_DENY' } },
      ],
    },
  },
];
