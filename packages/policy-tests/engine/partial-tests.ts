import type {
  AccessRequest,
  CheckResult,
  CompiledBundle,
  Engine,
  EngineOptions,
} from '../../../runtime/engine/index.js';
import { isAmong, withoutFacts } from '../../../runtime/facts/fact-names.js';
import { ALLOW } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { Program } from '../../../compiler/ir/program.js';
import { ReadSets } from '../../analysis/facts/of-point.js';
import { PartialDecisions } from '../../analysis/partial/partial-decisions.js';
import type { Decision, Question } from '../ask.js';
import type { UnknownFacts } from '../unknown-facts.js';
import type { MakePartialTests, PartialTests } from './ask-engine.js';

/**
 * Decides tests that do not know some facts, as facts engines do (docs/send-ids.md).
 *
 * @param program with folded literals. Called for the first such test.
 */
export function decidesPartially(program: () => Program | undefined): MakePartialTests {
  return (engine, guard, options) =>
    new ProgramTests(program() ?? invariant('tests of facts without a program'), engine, guard, options);
}

class ProgramTests implements PartialTests {
  private readonly partial: PartialDecisions;
  private readonly sets: ReadSets;
  private readonly isRejecting: boolean;

  constructor(
    program: Program,
    private readonly engine: Engine,
    guard: CompiledBundle['guard'],
    options: EngineOptions,
  ) {
    this.partial = new PartialDecisions(program, guard, options);
    this.sets = new ReadSets(program, options, false);
    this.isRejecting = options.schemaEnforcement === 'reject';
  }

  decide(
    question: Question,
    action: string,
    unknown: UnknownFacts,
    onDecided: (result: CheckResult, request: AccessRequest) => void,
  ): Decision {
    const request = { ...withoutFacts(question, unknown), action };
    const answer = this.answer(request, unknown);
    if (typeof answer !== 'boolean')
      return { action, effect: 'UNKNOWN', needs: [...answer].sort(), outputs: [], trace: undefined };
    const { principal, resource, auxData } = request;
    const [result] = this.engine.check({ principal, resources: [{ resource, actions: [action] }], auxData });
    if (result === undefined) return invariant('a check without a result');
    onDecided(result, request);
    const isAllowed = result.actions[0]?.effect === ALLOW;
    // A schema may reject what the policies allow.
    const isRejected = this.isRejecting && !isAllowed && result.validationErrors.length > 0;
    if (isAllowed !== answer && !isRejected)
      return invariant(`\`${action}\` of \`${resource.kind}\` is decided otherwise while facts are unknown`);
    // Which outputs there are, and which conditions fail, may depend on what is unknown.
    return { action, effect: isAllowed ? 'EFFECT_ALLOW' : 'EFFECT_DENY', outputs: [], trace: undefined };
  }

  private answer(request: AccessRequest, unknown: UnknownFacts): boolean | UnknownFacts {
    const { principal, resource, action } = request;
    const answer = this.partial.partial(request, unknown);
    if (answer !== true || !this.isRejecting) return answer;
    const { kind, scope, policyVersion: version } = resource;
    // Without roles, what schemas mention is left.
    const { facts: mentioned } = this.sets.of({ kind, action, roles: [], scope, version, principal });
    const checked = [...unknown].filter((fact) => isAmong(fact, mentioned));
    return checked.length === 0 || new Set(checked);
  }
}
