import { isDeepStrictEqual } from 'node:util';

/**
 * A recorded expression: what it gives as an output of a rule and as its condition
 * (docs/spec/conditions.md#conformance).
 */
export interface RecordedCase {
  readonly id: string;
  readonly category: string;
  readonly expr: string;
  readonly principalAttr: Record<string, unknown>;
  readonly resourceAttr: Record<string, unknown>;
  readonly variables?: Record<string, string>;
  readonly constants?: Record<string, unknown>;
  readonly globals?: Record<string, unknown>;
  readonly jwtClaims?: Record<string, unknown>;
  readonly jwtsClaims?: Record<string, Record<string, unknown>>;
  readonly principalPolicyVersion?: string;
  readonly want?: unknown;
  readonly wantError?: string;
  readonly errorKind?: 'compile' | 'runtime' | 'output' | 'response';
  readonly condition?: boolean;
  readonly messageIsImplementationSpecific?: boolean;
}

/** What all cases share. */
export interface Environment {
  readonly principal: { readonly id: string; readonly roles: readonly string[] };
  readonly resource: { readonly id: string };
  readonly globals: Record<string, unknown>;
}

/** An output as the engine gives it. */
export interface Given {
  readonly val?: unknown;
  readonly error?: string;
}

/** The policy of a case: action `out` yields the expression, action `cond` is allowed when it is true. */
export function policyOf(entry: RecordedCase, kind: string): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: kind,
      version: 'default',
      ...(entry.constants && { constants: { local: entry.constants } }),
      ...(entry.variables && { variables: { local: entry.variables } }),
      rules: [
        {
          name: 'o',
          actions: ['out'],
          effect: 'EFFECT_ALLOW',
          roles: ['*'],
          output: { when: { ruleActivated: entry.expr } },
        },
        {
          name: 'c',
          actions: ['cond'],
          effect: 'EFFECT_ALLOW',
          roles: ['*'],
          condition: { match: { expr: entry.expr } },
        },
      ],
    },
  });
}

/** What of a decision is not as recorded; undefined when all is. */
export function problemOf(entry: RecordedCase, output: Given | undefined, condition: boolean): string | undefined {
  if (output === undefined) return 'no output';
  const problem = entry.errorKind === undefined ? problemOfValue(entry, output) : problemOfFailure(entry, output);
  if (problem !== undefined) return problem;
  // The reference answers a response failure with no decision at all.
  if (entry.errorKind === 'response' || entry.condition === undefined || entry.condition === condition)
    return undefined;
  return `condition ${entry.condition} expected`;
}

function problemOfValue({ want }: RecordedCase, output: Given): string | undefined {
  if (!('val' in output)) return `value ${JSON.stringify(want)} expected, failed with ${output.error}`;
  return isDeepStrictEqual(plain(output.val), plain(want))
    ? undefined
    : `value ${JSON.stringify(want)} expected, got ${JSON.stringify(output.val)}`;
}

function problemOfFailure(
  { errorKind, wantError, messageIsImplementationSpecific }: RecordedCase,
  output: Given,
): string | undefined {
  if (output.error === undefined) return `failure ${wantError} expected, got ${JSON.stringify(output.val)}`;
  if (errorKind === 'response' || messageIsImplementationSpecific === true) return undefined;
  const error = inGeneral(output.error);
  return error === wantError ? undefined : `failure «${wantError}» expected, got «${error}»`;
}

/** Values as JSON tells them apart: no minus zero, no kind in their names. */
function plain(value: unknown): unknown {
  return JSON.parse(inGeneral(JSON.stringify(value ?? null)));
}

/** Each case has a kind of its own here; the records were made with one. */
function inGeneral(text: string): string {
  return text.replace(/case\d+/g, 'doc');
}
