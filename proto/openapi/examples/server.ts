import type { Example } from './example.js';

/** Examples of ServerInfo. */
export const SERVER_INFO_EXAMPLES: readonly Example[] = [
  {
    name: 'release',
    summary: 'Which build answers',
    response: { version: '1.4.0', commit: '5ee4c66', buildDate: '2025-06-02T09:30:00+00:00' },
  },
];

/** Examples of the health check. */
export const HEALTH_EXAMPLES: readonly Example[] = [
  { name: 'serving', summary: 'It serves', response: { status: 'SERVING' } },
];

/** Examples of Metadata. */
export const METADATA_EXAMPLES: readonly Example[] = [
  {
    name: 'endpoints',
    summary: 'Where this server is asked',
    response: {
      policy_decision_point: 'http://127.0.0.1:3592',
      access_evaluation_endpoint: 'http://127.0.0.1:3592/access/v1/evaluation',
      access_evaluations_endpoint: 'http://127.0.0.1:3592/access/v1/evaluations',
      search_action_endpoint: 'http://127.0.0.1:3592/access/v1/search/action',
    },
  },
];
