import { CALL_ID, type Example } from './example.js';

/** Examples of PlanResources. */
export const PLAN_EXAMPLES: readonly Example[] = [
  {
    name: 'conditional',
    summary: 'Which albums a user may look at',
    request: {
      requestId: 'album-list-1',
      includeMeta: true,
      principal: { id: 'alice', roles: ['user'] },
      resource: { kind: 'album' },
      actions: ['view'],
    },
    response: {
      requestId: 'album-list-1',
      resourceKind: 'album',
      filter: {
        kind: 'KIND_CONDITIONAL',
        condition: {
          expression: {
            operator: 'or',
            operands: [
              {
                expression: {
                  operator: 'eq',
                  operands: [{ variable: 'request.resource.attr.owner' }, { value: 'alice' }],
                },
              },
              {
                expression: {
                  operator: 'eq',
                  operands: [{ variable: 'request.resource.attr.visibility' }, { value: 'public' }],
                },
              },
              {
                expression: {
                  operator: 'and',
                  operands: [
                    {
                      expression: {
                        operator: 'eq',
                        operands: [{ variable: 'request.resource.attr.visibility' }, { value: 'friends' }],
                      },
                    },
                    {
                      expression: {
                        operator: 'in',
                        operands: [{ value: 'alice' }, { variable: 'request.resource.attr.friends' }],
                      },
                    },
                  ],
                },
              },
            ],
          },
        },
      },
      meta: {
        filterDebug:
          '(or (eq request.resource.attr.owner "alice") (eq request.resource.attr.visibility "public") (and (eq request.resource.attr.visibility "friends") (in "alice" request.resource.attr.friends)))',
        matchedScopes: { view: '' },
      },
      authzCallId: CALL_ID,
      actions: ['view'],
    },
  },
  {
    name: 'knownAttributes',
    summary: 'Which of the private albums',
    request: {
      principal: { id: 'alice', roles: ['user'] },
      resource: { kind: 'album', attr: { visibility: 'private' } },
      actions: ['view'],
    },
    response: {
      resourceKind: 'album',
      filter: {
        kind: 'KIND_CONDITIONAL',
        condition: {
          expression: { operator: 'eq', operands: [{ variable: 'request.resource.attr.owner' }, { value: 'alice' }] },
        },
      },
      authzCallId: CALL_ID,
      actions: ['view'],
    },
  },
  {
    name: 'severalActions',
    summary: 'Several actions, all of which have to be allowed',
    request: {
      principal: { id: 'alice', roles: ['user'] },
      resource: { kind: 'album', attr: { visibility: 'private' } },
      actions: ['view', 'edit'],
    },
    response: {
      resourceKind: 'album',
      filter: {
        kind: 'KIND_CONDITIONAL',
        condition: {
          expression: {
            operator: 'and',
            operands: [
              {
                expression: {
                  operator: 'or',
                  operands: [
                    {
                      expression: {
                        operator: 'not',
                        operands: [
                          {
                            expression: {
                              operator: 'eq',
                              operands: [{ variable: 'request.resource.attr.status' }, { value: 'LOCKED' }],
                            },
                          },
                        ],
                      },
                    },
                    {
                      expression: {
                        operator: 'not',
                        operands: [
                          { expression: { operator: 'has', operands: [{ variable: 'request.resource.attr.status' }] } },
                        ],
                      },
                    },
                  ],
                },
              },
              {
                expression: {
                  operator: 'eq',
                  operands: [{ variable: 'request.resource.attr.owner' }, { value: 'alice' }],
                },
              },
            ],
          },
        },
      },
      authzCallId: CALL_ID,
      actions: ['view', 'edit'],
    },
  },
  {
    name: 'alwaysAllowed',
    summary: 'A curator may look at every album',
    request: { principal: { id: 'carol', roles: ['curator'] }, resource: { kind: 'album' }, actions: ['view'] },
    response: {
      resourceKind: 'album',
      filter: { kind: 'KIND_ALWAYS_ALLOWED' },
      authzCallId: CALL_ID,
      actions: ['view'],
    },
  },
  {
    name: 'alwaysDenied',
    summary: 'A user may create no contact',
    request: { principal: { id: 'alice', roles: ['user'] }, resource: { kind: 'contact' }, actions: ['create'] },
    response: {
      resourceKind: 'contact',
      filter: { kind: 'KIND_ALWAYS_DENIED' },
      authzCallId: CALL_ID,
      actions: ['create'],
    },
  },
];
