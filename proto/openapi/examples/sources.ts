import type { Example } from './example.js';

/** Examples of ListSources. */
export const SOURCES_EXAMPLES: readonly Example[] = [
  {
    name: 'sources',
    summary: 'A source that has failed, and works again',
    response: {
      sources: [
        {
          name: 'people',
          requests: '4120',
          failures: '3',
          fetched: '4117',
          unknown: '3',
          lastSuccess: '2025-06-02T10:15:00.000Z',
          lastFailure: '2025-06-02T10:14:58.000Z',
          lastError: 'timeout',
        },
      ],
    },
  },
];
