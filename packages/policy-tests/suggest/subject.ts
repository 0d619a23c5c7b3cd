import { type CompiledBundle, createEngine, type EngineOptions, explanations } from '../../../runtime/engine/index.js';
import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Instant } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { Ask } from '../ask.js';
import type { TestCall } from '../run-tests.js';
import type { Prover } from '../../analysis/question/question.js';
import { parseInstant } from '../../analysis/witness/replay.js';
import { DEFAULT_NOW, type Situation } from '../../analysis/question/situation.js';
import type { RequestNames } from './starts.js';
import type { SuggestedTest } from './suite.js';

/** What is suggested. */
export interface Suggestions {
  readonly tests: readonly SuggestedTest[];
  /** What no request was found for. */
  readonly unmet: readonly Unmet[];
  /** Whether more was to be searched. */
  readonly isInterrupted: boolean;
}

export interface Unmet {
  readonly place: FilePlace;
  readonly text: string;
}

/** What suggestions are made for. */
export interface SuggestionSubject {
  /** The program as its authors wrote it. */
  readonly program: ir.Program;
  readonly compiled: CompiledBundle;
  /** Asks the compiled policies, as tests do. */
  readonly ask: Ask;
  /** Those of the engines that decide tests, without clock and globals. */
  readonly engineOptions: EngineOptions;
  /** The tests that there are: values come from them, too. */
  readonly calls: readonly TestCall[];
  readonly allowed: RequestNames;
  /** Creates the solver when it is first needed; undefined without one. */
  readonly prover?: (() => Promise<Prover>) | undefined;
}

/** Is called before each search. Returns whether to go on. */
export type Continue = (done: number, all: number) => Promise<boolean>;

/** Validates the attributes of situations. */
export class SchemaTrial {
  protected now: Instant = parseInstant(DEFAULT_NOW);
  protected readonly clock = (): Instant => this.now;
  private readonly validating;

  constructor({ program, compiled, engineOptions }: SuggestionSubject) {
    const options: EngineOptions = { ...engineOptions, schemaEnforcement: 'reject', clock: this.clock };
    this.validating =
      program.schemas.length > 0 ? createEngine(compiled, { ...options, use: [explanations()] }) : undefined;
  }

  violations = ({ request: { principal, resource, action, auxData }, now }: Situation): number => {
    if (this.validating === undefined) return 0;
    this.now = parseInstant(now);
    const resources = [{ resource, actions: [action] }];
    const [result] = this.validating.check({ principal, resources, auxData });
    return result?.validationErrors.length ?? 0;
  };
}

/** A test of a situation, with what the policies decide. */
export function makeTest(name: string, situation: Situation, { ask }: SuggestionSubject): SuggestedTest {
  const { request, globals, now } = situation;
  const { action, principal, resource, auxData } = request;
  const question = {
    principal,
    resource,
    auxData,
    actions: [action],
    traced: false,
    options: {
      now: undefined,
      defaultPolicyVersion: undefined,
      defaultScope: undefined,
      lenientScopeSearch: false,
      strictEvaluation: false,
      globals,
    },
  };
  const timeless = ask(question);
  const { missedTime } = timeless;
  const answer = missedTime ? ask({ ...question, options: { ...question.options, now: parseInstant(now) } }) : timeless;
  const { effect } = answer.decisions[0] ?? invariant('an action was not decided');
  if (effect === 'UNKNOWN') invariant('a decision with all facts is unknown');
  return { name: `suggested: ${oneLine(name)}`, situation, readsTime: missedTime, effect };
}

/** Names of tests are one line. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= LONGEST_NAME ? line : `${line.slice(0, LONGEST_NAME)}…`;
}

const LONGEST_NAME = 120;
