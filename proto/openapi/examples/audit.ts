import { CALL_ID, type Example } from './example.js';

const PEER = { address: '10.0.3.7:57318', userAgent: 'album-service/2.1', forwardedFor: '10.0.3.7' };
const POLICY_SOURCE = { embeddedPdp: { commitHash: '5ee4c66', bundleHash: 'e253cbe640079a7a' } };

/** Examples of ListAuditLogEntries: one entry of each kind. */
export const AUDIT_EXAMPLES: readonly Example[] = [
  {
    name: 'access',
    summary: 'A call',
    response: {
      result: {
        accessLogEntry: {
          callId: CALL_ID,
          timestamp: '2025-06-02T09:30:16.317000000Z',
          peer: PEER,
          method: '/authz.svc.v1.AuthzService/CheckResources',
          policySource: POLICY_SOURCE,
        },
      },
    },
  },
  {
    name: 'decision',
    summary: 'What was asked and decided',
    response: {
      result: {
        decisionLogEntry: {
          callId: CALL_ID,
          timestamp: '2025-06-02T09:30:16.321000000Z',
          peer: PEER,
          checkResources: {
            inputs: [
              { resource: { kind: 'contact', id: '17' }, principal: { id: 'bob', roles: ['user'] }, actions: ['read'] },
            ],
            outputs: [
              { resourceId: '17', actions: { read: { effect: 'EFFECT_ALLOW', policy: 'resource.contact.vdefault' } } },
            ],
          },
          auditTrail: {
            effectivePolicies: {
              'resource.contact.vdefault': { attributes: { driver: 'embedded', source: 'contact.yaml' } },
            },
          },
          policySource: POLICY_SOURCE,
        },
      },
    },
  },
];
