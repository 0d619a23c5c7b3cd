import type { TextFile } from '../../../compiler/policy-texts.js';
import type { PlaygroundInput, PlaygroundResult } from './result.js';

/** What the worker is asked, by the kind of the question. */
export interface Questions {
  readonly evaluate: { readonly asks: PlaygroundInput; readonly answers: PlaygroundResult };
  readonly complete: { readonly asks: TextPlace; readonly answers: Completions };
  readonly hover: { readonly asks: TextPlace; readonly answers: Hovered | undefined };
  readonly begin: { readonly asks: readonly TextFile[]; readonly answers: TestedRequest | undefined };
  readonly matrix: { readonly asks: readonly TextFile[]; readonly answers: Reviewed<ShownMatrix> };
  readonly diff: {
    readonly asks: { readonly before: readonly TextFile[]; readonly after: readonly TextFile[] };
    readonly answers: Reviewed<ShownDiff>;
  };
  readonly format: { readonly asks: TextFile; readonly answers: TextChange | undefined };
}

/** A request that tests make. */
export interface TestedRequest {
  readonly kind: string;
  readonly request: string;
}

export type QuestionKind = keyof Questions;

/** A question as it is sent; the answer has the same id. */
export type Question = {
  readonly [Kind in QuestionKind]: {
    readonly id: number;
    readonly kind: Kind;
    readonly asks: Questions[Kind]['asks'];
  };
}[QuestionKind];

export type WorkerAnswer =
  | { readonly id: number; readonly answers: Questions[QuestionKind]['answers'] }
  | { readonly id: number; readonly error: string };

/** A place in one of the files that are edited. */
export interface TextPlace {
  readonly files: readonly TextFile[];
  readonly path: string;
  /** The position in UTF-16 units. */
  readonly offset: number;
}

/** Proposals for what is written at a place. */
export interface Completions {
  /** Where what they replace begins. */
  readonly from: number;
  readonly items: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly label: string;
  readonly type: string;
  readonly detail?: string;
  /** Markdown. */
  readonly documentation?: string;
  readonly text: string;
}

/** What is known about a place. */
export interface Hovered {
  readonly markdown: string;
  readonly from: number;
  readonly to: number;
}

export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** What an analysis found, or why it found nothing. */
export type Reviewed<Shown> = Shown | { readonly refused: string };

/** Who may do what, as `authzc matrix` shows it. */
export interface ShownMatrix {
  readonly tables: readonly {
    readonly title: string;
    readonly actions: readonly string[];
    readonly rows: readonly { readonly title: string; readonly cells: readonly ShownCell[] }[];
    readonly gap?: string;
  }[];
  readonly definitions: readonly { readonly name: string; readonly text: string; readonly place: string }[];
}

export type ShownCell =
  | { readonly answer: 'allowed' | 'denied' | 'undecided' }
  | { readonly answer: 'condition'; readonly condition: string };

/** What other policies decide differently, as `authzc diff` finds it. */
export interface ShownDiff {
  readonly compared: number;
  readonly changes: readonly ShownChange[];
  /** Actions that are neither proved equal nor shown to differ. */
  readonly undecided: readonly string[];
  /** What changed, but is not compared. */
  readonly alsoChanged: readonly string[];
}

export interface ShownChange {
  readonly title: string;
  readonly direction: 'widened' | 'narrowed';
  readonly roles: readonly string[];
  /** A request that shows the change, as the request of the playground. */
  readonly request: string;
  readonly causes: readonly { readonly rule: string; readonly before?: string; readonly after?: string }[];
}
