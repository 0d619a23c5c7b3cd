import type {
  AccessRequest,
  CheckResult,
  CompiledBundle,
  Engine,
  EngineOptions,
} from '../../../runtime/engine/index.js';
import { FACT_ROOTS, getAttributes, isAmong, readAttribute, withoutFacts } from '../../../runtime/facts/fact-names.js';
import { narrowAnswer } from '../../../runtime/facts/narrow-answer.js';
import { ALLOW } from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { Program } from '../../../compiler/ir/program.js';
import { ReadSets } from '../../analysis/facts/of-point.js';
import { PartialDecisions } from '../../analysis/partial/partial-decisions.js';
import { adviseNames } from '../../cel/check/did-you-mean.js';
import type { Decision, Question } from '../ask.js';
import { InvalidSuite } from '../invalid-suite.js';
import type { UnknownFacts } from '../unknown-facts.js';
import type { MakePartialTests, PartialTests } from './ask-engine.js';

/**
 * Decides tests that do not know some facts, as facts engines do (docs/send-ids.md).
 *
 * @param program with folded literals. Called for the first such test.
 * @param isMutant whether policies need not read what tests name, as it was taken out of them.
 */
export function decidesPartially(program: () => Program | undefined, isMutant = false): MakePartialTests {
  return (engine, guard, options) => {
    const own = program() ?? invariant('tests of facts without a program');
    return new ProgramTests(own, engine, guard, options, isMutant ? undefined : new KnownFacts(own));
  };
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
    private readonly known: KnownFacts | undefined,
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
    this.known?.require(unknown, question);
    const names = new Set(unknown.keys());
    const request = { ...withoutFacts(question, names), action };
    const answer = this.answer(request, names);
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

  private answer(request: AccessRequest, unknown: ReadonlySet<string>): boolean | ReadonlySet<string> {
    const { principal, resource, action } = request;
    const { kind, scope, policyVersion: version } = resource;
    const listRead = (roles: readonly string[]): ReadonlySet<string> =>
      this.sets.of({ kind, action, roles, scope, version, principal }).facts;
    const answer = narrowAnswer(
      this.partial.partial(request, unknown),
      () => listRead(principal.roles),
      () => this.engine.isAllowed(request),
    );
    if (answer !== true || !this.isRejecting) return answer;
    // Without roles, what schemas mention is left.
    const mentioned = listRead([]);
    const checked = [...unknown].filter((fact) => isAmong(fact, mentioned));
    return checked.length === 0 || new Set(checked);
  }
}

/** The facts that policies read, or schemas have: what a test does not know should be one of them. */
class KnownFacts {
  private found: { readonly read: ReadonlySet<string>; readonly mentioned: ReadonlySet<string> } | undefined;
  private latest: UnknownFacts | undefined;

  constructor(private readonly program: Program) {}

  /** Throws an InvalidSuite for an unknown fact that neither policies nor the fixtures of a test have: its name may be wrong. */
  require(unknown: UnknownFacts, question: Question): void {
    if (unknown === this.latest) return;
    const { read, mentioned } = this.find();
    for (const [fact, place] of unknown) {
      // A side that is read as a whole has any attribute.
      if (isAmong(fact, read) || mentioned.has(fact) || isInFixtures(fact, question)) continue;
      const text = `unknown fact ${JSON.stringify(fact)} not found: no policy, schema or fixture of the test has it`;
      const [root = ''] = FACT_ROOTS.filter((one) => fact.startsWith(one));
      const others = [...read, ...mentioned].filter((one) => one.startsWith(root) && !one.endsWith('*'));
      throw new InvalidSuite([{ text, place, notes: adviseNames(fact, new Set(others)) }]);
    }
    this.latest = unknown;
  }

  private find(): NonNullable<typeof this.found> {
    const readBy = (schemaEnforcement: 'none' | 'reject'): ReadonlySet<string> =>
      new Set(
        [...new ReadSets(this.program, { schemaEnforcement }, false).byKind('response').values()].flatMap((facts) => [
          ...facts,
        ]),
      );
    this.found ??= { read: readBy('none'), mentioned: readBy('reject') };
    return this.found;
  }
}

function isInFixtures(fact: string, question: Question): boolean {
  return FACT_ROOTS.some((root) => {
    const attribute = readAttribute(fact, root);
    return attribute !== undefined && Object.hasOwn(getAttributes(root, question) ?? {}, attribute);
  });
}
