import { CALL_ID, type Example } from './example.js';

/** Examples of ExplainDecision. */
export const EXPLAIN_EXAMPLES: readonly Example[] = [
  {
    name: 'stranger',
    summary: 'Why a user may not view an album that is for friends',
    request: {
      requestId: 'album-why-1',
      principal: { id: 'carol', roles: ['user'] },
      resource: { kind: 'album', id: 'summer-2024', attr: { owner: 'alice', visibility: 'friends', friends: ['bob'] } },
      action: 'view',
      near: 2,
    },
    response: {
      requestId: 'album-why-1',
      effect: 'EFFECT_DENY',
      matchedPolicy: 'resource.album.vdefault',
      steps: [
        {
          role: 'user',
          policy: 'resource.album.vdefault',
          rules: [
            {
              name: 'owners',
              place: { file: 'album.yaml', line: 12, column: 7 },
              effect: 'EFFECT_ALLOW',
              result: 'RULE_RESULT_NOT_ACTIVE',
              derivedRole: {
                name: 'owner',
                place: { file: 'album_roles.yaml', line: 6, column: 7 },
                condition: {
                  kind: 'KIND_EXPRESSION',
                  result: { value: false },
                  text: 'R.attr.owner == P.id',
                  place: { file: 'album_roles.yaml', line: 10, column: 17 },
                  comparison: '"alice" == "carol"',
                },
              },
            },
            {
              name: 'audience',
              place: { file: 'album.yaml', line: 16, column: 7 },
              effect: 'EFFECT_ALLOW',
              result: 'RULE_RESULT_DOES_NOT_APPLY',
              condition: {
                kind: 'KIND_ANY',
                result: { value: false },
                of: [
                  {
                    kind: 'KIND_EXPRESSION',
                    result: { value: false },
                    text: 'R.attr.visibility == "public"',
                    place: { file: 'album.yaml', line: 24, column: 23 },
                    comparison: '"friends" == "public"',
                  },
                  {
                    kind: 'KIND_ALL',
                    result: { value: false },
                    of: [
                      {
                        kind: 'KIND_EXPRESSION',
                        result: { value: true },
                        text: 'R.attr.visibility == "friends"',
                        place: { file: 'album.yaml', line: 27, column: 29 },
                        comparison: '"friends" == "friends"',
                      },
                      {
                        kind: 'KIND_EXPRESSION',
                        result: { value: false },
                        text: 'P.id in R.attr.friends',
                        place: { file: 'album.yaml', line: 28, column: 29 },
                        comparison: '"carol" in ["bob"]',
                      },
                    ],
                  },
                ],
              },
            },
          ],
        },
      ],
      nearMisses: {
        sets: [
          { changes: [{ path: 'resource.attr.friends', from: ['bob'], to: ['bob', 'carol'] }] },
          { changes: [{ path: 'resource.attr.owner', from: 'alice', to: 'carol' }] },
        ],
        isComplete: true,
      },
      authzCallId: CALL_ID,
    },
  },
];
