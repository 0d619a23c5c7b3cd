import { CoverageRecorder } from '../../analysis/coverage/coverage.js';
import { MutantComparison } from '../mutate/comparison.js';
import type { MutationReport } from '../mutate/mutate.js';
import type { Mutant } from '../mutate/mutants.js';
import { LiteralValues } from '../../analysis/witness/literal-values.js';
import { realistic } from '../../analysis/witness/realistic.js';
import { shrink } from '../../analysis/witness/shrink.js';
import type { Situation } from '../../analysis/question/situation.js';
import { suggestForCoverage } from './coverage-suggestions.js';
import type { RequestNames } from './starts.js';
import {
  type Continue,
  SchemaTrial,
  type SuggestionSubject,
  type Suggestions,
  makeTest,
  type Unmet,
} from './subject.js';
import type { SuggestedTest } from './suite.js';

/**
 * Suggests a test for each mutant that survived; one may notice several.
 *
 * @param mutants those of the report, in its order.
 */
export async function suggestForMutants(
  { mutants: results }: MutationReport,
  mutants: readonly Mutant[],
  subject: SuggestionSubject,
  goOn: Continue,
): Promise<Suggestions> {
  const survivors = results.flatMap((result, index) =>
    result.result === 'survived' ? [{ result, mutant: mutants[index] as Mutant }] : [],
  );
  if (survivors.length === 0) return { tests: [], unmet: [], isInterrupted: false };
  const search = new MutantSearch(subject, await coveringSituations(subject, goOn));
  const tests: SuggestedTest[] = [];
  const unmet: Unmet[] = [];
  let done = 0;
  try {
    for (const { result, mutant } of survivors) {
      if (!(await goOn(done, survivors.length))) break;
      done += 1;
      const { place, before, after, witness } = result;
      const own = search.of(mutant);
      if (tests.some(({ situation }) => own.shows(situation))) continue;
      const situation = await own.find(witness);
      const text = `${before} -> ${after}`;
      if (situation === undefined) unmet.push({ place, text: `${text}: no request found that tells it apart` });
      else tests.push(makeTest(`${place.file}:${place.line} ${nameMutant(result)}notices ${text}`, situation, subject));
    }
  } finally {
    await search.close();
  }
  return { tests, unmet, isInterrupted: done < survivors.length };
}

/** Requests that exercise every clause notice most mutants. */
async function coveringSituations(subject: SuggestionSubject, goOn: Continue): Promise<readonly Situation[]> {
  const { tests } = await suggestForCoverage(new CoverageRecorder(subject.program), subject, goOn);
  return tests.map(({ situation }) => situation);
}

/** `owners, ` */
function nameMutant({ rules: [key = ''] }: Pick<Mutant, 'rules'>): string {
  const name = key.slice(key.indexOf('#') + 1);
  return name === '' ? '' : `${name}, `;
}

/** Searches situations that tell a mutant from the policies, among requests that schemas and the vocabulary allow. */
class MutantSearch {
  private readonly trial: SchemaTrial;
  private readonly comparison: MutantComparison;
  private readonly literalValues: LiteralValues;

  /** @param pool situations that may show it. */
  constructor(
    private readonly subject: SuggestionSubject,
    private readonly pool: readonly Situation[],
  ) {
    const { program, compiled, prover } = subject;
    this.trial = new SchemaTrial(subject);
    this.comparison = new MutantComparison(program, compiled, prover);
    this.literalValues = new LiteralValues(program);
  }

  of(mutant: Mutant): {
    readonly shows: (situation: Situation) => boolean;
    readonly find: (witness: Situation | undefined) => Promise<Situation | undefined>;
  } {
    const { differs, difference } = this.comparison.of(mutant.program());
    const isValid = (situation: Situation): boolean => this.trial.violations(situation) === 0;
    const shows = (situation: Situation): boolean => differs(situation) && isValid(situation);
    const readable = (situation: Situation | undefined): Situation | undefined => {
      const named = situation && withAllowedNames(situation, this.subject.allowed, shows);
      return named && realistic(shrink(named, shows), this.literalValues, shows);
    };
    return {
      shows,
      find: async (witness) => {
        const known = readable(witness) ?? readable(this.pool.find(shows));
        if (known !== undefined) return known;
        const answer = await difference({ seeds: this.pool, satisfiesSchemas: isValid });
        return answer.answer === 'yes' ? readable(answer.situation) : undefined;
      },
    };
  }

  close(): Promise<void> {
    return this.comparison.close();
  }
}

/** A situation with names that the project declares, if there is one that shows the same. */
function withAllowedNames(
  situation: Situation,
  { roles, actions }: RequestNames,
  shows: (situation: Situation) => boolean,
): Situation | undefined {
  const { request } = situation;
  const { principal, action } = request;
  const isDeclared = (names: readonly string[] | undefined, name: string): boolean => names?.includes(name) ?? true;
  const ownRoles = principal.roles.every((role) => isDeclared(roles, role))
    ? [principal.roles]
    : (roles ?? []).map((role) => [role]);
  const ownActions = isDeclared(actions, action) ? [action] : (actions ?? []);
  for (const own of ownRoles)
    for (const named of ownActions) {
      const changed = { ...situation, request: { ...request, principal: { ...principal, roles: own }, action: named } };
      if (shows(changed)) return changed;
    }
  return undefined;
}
