import { isDeepStrictEqual } from 'node:util';

/**
 * A recorded expression: its result as an output of a rule and as the rule's condition
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

/** Settings that all cases share. */
export interface Environment {
  readonly principal: { readonly id: string; readonly roles: readonly string[] };
  readonly resource: { readonly id: string };
  readonly globals: Record<string, unknown>;
}

/** An output as the engine returns it. */
export interface Given {
  readonly val?: unknown;
  readonly error?: string;
}

/** The policy of a case: action `out` outputs the expression, action `cond` is allowed when it is true. */
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

/** How a decision differs from the recorded one; undefined when it does not. */
export function problemOf(entry: RecordedCase, output: Given | undefined, condition: boolean): string | undefined {
  if (output === undefined) return 'no output';
  const problem = entry.errorKind === undefined ? problemOfValue(entry, output) : problemOfFailure(entry, output);
  if (problem !== undefined) return problem;
  // The reference returns no decision at all for a response failure.
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

/** Values as JSON distinguishes them: no minus zero, no types in their names. */
function plain(value: unknown): unknown {
  return JSON.parse(inGeneral(JSON.stringify(value ?? null)));
}

/** Each case has its own kind here; the cases were recorded with a single one. */
function inGeneral(text: string): string {
  return text.replace(/case\d+/g, 'doc');
}
