import { type AccessRequest, createEngine } from '#runtime/engine';
import { sanitize } from '#runtime/policy';
import { fold } from '../../compiler/optimise/index.js';
import { CoverageRecorder } from '../coverage/coverage.js';
import { changedModules } from '../mutate/equivalence.js';
import type { MutationReport } from '../mutate/mutate.js';
import type { Mutant } from '../mutate/mutants.js';
import { type Decider, SEARCH_OPTIONS, witnessOf } from '../mutate/witness.js';
import { bundleOf, type ProgramBundle } from '../program/bundle.js';
import { LiteralValues } from '../witness/literal-values.js';
import { realistic } from '../witness/realistic.js';
import { shrink } from '../witness/shrink.js';
import type { Situation } from '../witness/situation.js';
import { suggestForCoverage } from './coverage-suggestions.js';
import type { RequestNames } from './starts.js';
import {
  type Continue,
  SchemaTrial,
  situationOf,
  type SuggestionSubject,
  type Suggestions,
  testOf,
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
  for (const { result, mutant } of survivors) {
    if (!(await goOn(done, survivors.length))) break;
    done += 1;
    const { place, before, after, witness } = result;
    const own = search.of(mutant);
    if (tests.some(({ situation }) => own.differs(situation))) continue;
    const situation = own.find(witness && situationOf(witness.request));
    const text = `${before} -> ${after}`;
    if (situation === undefined) unmet.push({ place, text: `${text}: no request found that tells it apart` });
    else tests.push(testOf(`${place.file}:${place.line} ${nameOf(result)}notices ${text}`, situation, subject));
  }
  return { tests, unmet, isInterrupted: done < survivors.length };
}

/** Requests that exercise every clause notice most mutants. */
async function coveringSituations(subject: SuggestionSubject, goOn: Continue): Promise<readonly Situation[]> {
  const { tests } = await suggestForCoverage(new CoverageRecorder(subject.program), subject, goOn);
  return tests.map(({ situation }) => situation);
}

/** `owners, ` */
function nameOf({ rules: [key = ''] }: Pick<Mutant, 'rules'>): string {
  const name = key.slice(key.indexOf('#') + 1);
  return name === '' ? '' : `${name}, `;
}

/** Searches situations that tell a mutant from the policies, among requests that schemas and the vocabulary allow. */
class MutantSearch {
  private readonly trial: SchemaTrial;
  private readonly compiled;
  private readonly original: ProgramBundle;
  private readonly literalValues: LiteralValues;

  /** @param pool situations that may show it. */
  constructor(
    private readonly subject: SuggestionSubject,
    private readonly pool: readonly Situation[],
  ) {
    this.trial = new SchemaTrial(subject);
    this.compiled = createEngine(subject.compiled, SEARCH_OPTIONS);
    this.original = bundleOf(fold(subject.program));
    this.literalValues = new LiteralValues(subject.program);
  }

  of(mutant: Mutant): {
    readonly differs: (situation: Situation) => boolean;
    readonly find: (witness: Situation | undefined) => Situation | undefined;
  } {
    const mutated = mutant.program();
    const bundle = bundleOf(fold(mutated));
    const engine = createEngine(bundle.bundle, SEARCH_OPTIONS);
    const isValid = (request: AccessRequest): boolean => this.trial.violations(situationOf(request)) === 0;
    const differs = ({ request }: Situation): boolean =>
      this.compiled.isAllowed(request) !== engine.isAllowed(request) && isValid(request);
    const readable = (situation: Situation | undefined): Situation | undefined => {
      const named = situation && withAllowedNames(situation, this.subject.allowed, differs);
      return named && realistic(shrink(named, differs), this.literalValues, differs);
    };
    const validated = (decider: Decider): Decider => ({
      isAllowed: (request) => decider.isAllowed(request) && isValid(request),
    });
    const near = (): Situation | undefined => {
      const kinds = new Set(
        changedModules(this.subject.program, mutated).map((module) => 'kindName' in module && module.kindName),
      );
      const own = this.pool.filter(({ request }) => kinds.has(sanitize(request.resource.kind)));
      const witness = witnessOf(
        [validated(this.compiled), validated(engine)],
        [this.original, bundle],
        (own.length > 0 ? own : this.pool).map(({ request }) => request),
      );
      return witness && situationOf(witness.request);
    };
    return { differs, find: (witness) => readable(witness) ?? readable(this.pool.find(differs)) ?? readable(near()) };
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
