import type { SqlDialect, SqlParameter, SqlTable } from '../../../runtime/residual/filters.js';
import type { TestReport } from '../../policy-tests/report/json.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import type { ExplainDecisionResponse } from '../../../proto/gen/explain-messages.js';

/** What the playground is given: files by their path below the folder of policies, and a request as JSON. */
export interface PlaygroundInput {
  readonly files: readonly TextFile[];
  readonly request: string;
}

/** What the playground shows, as data that a worker can send. */
export interface PlaygroundResult {
  readonly problems: readonly Problem[];
  /** The generated TypeScript; undefined if the policies are refused. */
  readonly generated: readonly TextFile[] | undefined;
  /** Undefined if the policies are refused. */
  readonly answer: Answer | undefined;
  /** Undefined if the policies are refused, or there are no tests. */
  readonly tests: TestReport | undefined;
}

/** A diagnostic with its place. */
export interface Problem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly notes: readonly string[];
  readonly path?: string;
  /** Lines and columns are 1-based; `start` and `end` are offsets in UTF-16 units. */
  readonly place?: { readonly line: number; readonly column: number; readonly start: number; readonly end: number };
}

/** Decisions and plans for the request, or why there are none. */
export type Answer =
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'answered';
      readonly decisions: readonly ActionDecision[];
      readonly plans: readonly ActionPlan[];
    };

/** The decision about one action. */
export interface ActionDecision {
  readonly action: string;
  readonly isAllowed: boolean;
  /** The explanations for the principal, then for each actor: all must be allowed. */
  readonly explanations: readonly { readonly id: string; readonly explanation: ExplainDecisionResponse }[];
}

/** The plan of one action. */
export interface ActionPlan {
  readonly action: string;
  /** The response that PlanResources returns. */
  readonly response: object;
  readonly table: SqlTable;
  readonly sql: { readonly [dialect in SqlDialect]: SqlText };
}

/** A condition for WHERE, or why there is none. */
export type SqlText =
  | { readonly text: string; readonly parameters: readonly SqlParameter[] }
  | { readonly refused: readonly string[] };
