import { areSameSchemas, isAccepted } from '../decision/schema-inclusion.js';
import { violationsOf } from '../../json-schema/index.js';
import { schemaDefinitions } from '../program/schemas.js';
import type { Formula } from '../formula/formula.js';
import { withRoles } from '../formula/formula.js';
import type { PointDecisions } from '../decision/decisions.js';
import type { Point } from '../question/point.js';
import { type Answers, undecided } from '../solve/answers.js';
import type { Answer, Question, Yes } from '../question/question.js';
import { isAt, type Replay } from '../witness/replay.js';
import { withRequired } from '../witness/schema-example.js';
import { schemaCandidates } from '../witness/schema-candidates.js';
import { shrink } from '../witness/shrink.js';
import type { Situation } from '../question/situation.js';
import type { DiffOptions } from './options.js';

/** A situation that shows a change, and the roles of which one alone shows it. */
export interface Shown {
  readonly answer: Answer;
  readonly roles: readonly string[];
}

/** The number of situations that are tried for each role. */
const TRIES_OF_ROLE = 500;

/** A point that is not the same in both sets. */
export class ComparedPoint {
  constructor(
    readonly point: Point,
    /** One of each class. */
    readonly roles: readonly string[],
    readonly decisions: readonly [PointDecisions, PointDecisions],
  ) {}
}

/** Requests that readers believe. */
interface Believable {
  /** The schemas that their attributes satisfy. */
  readonly schemas: Question['schemas'];
  readonly accepts: (situation: Situation) => boolean;
}

/** The deciders of the old and of the new set. */
export type Replays = readonly [Replay, Replay];

/** What changes of a point are looked for with. */
export interface DirectionOptions {
  readonly answers: Answers;
  readonly selecting: DiffOptions['engine'] & {};
  /** Loads the bundles of both sets, once. Rows that are equal do not need them. */
  readonly loadReplays: () => Promise<Replays>;
  readonly principals: ReadonlySet<string>;
  /** The schemas of resources that exist, by kind. */
  readonly existing?: DiffOptions['existing'];
}

/** Looks for requests that are decided otherwise in one direction. */
export class Directions {
  constructor(private readonly options: DirectionOptions) {}

  /** Whether a request makes a formula true, which says that the decision turns. */
  async shown(
    compared: ComparedPoint,
    action: string,
    formula: Formula,
    isWidening: boolean,
    seeds: readonly Situation[],
  ): Promise<Shown> {
    const { point, roles, decisions } = compared;
    const question = this.question(
      compared,
      action,
      formula,
      decisions.flatMap((own) => own.schemasFor(action)),
    );
    const replays = await this.options.loadReplays();
    const confirm = (situation: Situation): boolean =>
      isAt(point, situation.request, this.options.principals, this.options.selecting) &&
      turns(replays, situation, isWidening) &&
      (!this.isEnforcing || replays.every((replay) => replay.satisfiesSchemas(situation)));
    const about = seeds.map((seed) => {
      const resource = { ...seed.request.resource, kind: point.kind };
      return { ...seed, request: { ...seed.request, resource, action } };
    });
    const found = await this.options.answers.answer(question, confirm, about);
    if (found.answer !== 'yes') return { answer: found, roles: [] };
    const schemas = decisions.flatMap((own) => own.schemasFor(action));
    const answer = this.asSchemasAllow(question, found, confirm, this.listBelievable(point.kind, schemas, replays));
    return { answer, roles: roles.filter((role) => this.showsAlone(question, role, answer.situation, confirm)) };
  }

  /**
   * The same with attributes that schemas accept, if such a request is found: readers do not believe one that no client
   * sends, or of a resource that cannot exist.
   */
  private asSchemasAllow(
    question: Question,
    found: Yes,
    confirm: (situation: Situation) => boolean,
    believable: readonly Believable[],
  ): Yes {
    for (const { schemas, accepts } of believable) {
      const satisfies = (situation: Situation): boolean => accepts(situation) && confirm(situation);
      if (satisfies(found.situation)) return found;
      const seed = withRequiredAttributes(found.situation, schemas);
      const asked = { ...question, schemas, candidates: schemaCandidates(schemas, []) };
      const situation = this.options.answers.shown(asked, satisfies, [seed], TRIES_OF_ROLE);
      if (situation !== undefined) return { ...found, situation: shrink(situation, satisfies) };
    }
    return found;
  }

  /** The requests about a kind that readers believe, those first that they believe most. */
  private listBelievable(kind: string, schemas: Question['schemas'], replays: Replays): readonly Believable[] {
    const existing = (this.options.existing?.(kind) ?? []).map((schema): Believable => {
      const violations = violationsOf(schemaDefinitions(schema.modules)(schema.at));
      return { schemas: [schema], accepts: ({ request }) => violations(request.resource.attr ?? {}).length === 0 };
    });
    if (schemas.length === 0) return existing;
    const satisfiesSchemas = (situation: Situation): boolean =>
      replays.every((replay) => replay.satisfiesSchemas(situation));
    return [
      ...existing.map(({ schemas: own, accepts }) => ({
        schemas: [...schemas, ...own],
        accepts: (situation: Situation) => accepts(situation) && satisfiesSchemas(situation),
      })),
      ...existing,
      { schemas, accepts: satisfiesSchemas },
    ];
  }

  /**
   * Whether a request turns that the rules of one set allow: if no request shows that both schemas accept, then one that
   * the other schemas reject.
   *
   * @param allowed when the rules of the set that allows do.
   * @param rules what is known of requests that both schemas accept.
   */
  async shownBySchemas(
    compared: ComparedPoint,
    action: string,
    allowed: Formula,
    isWidening: boolean,
    rules: Shown,
  ): Promise<Shown> {
    const { point, roles, decisions } = compared;
    if (rules.answer.answer === 'yes') return rules;
    const [before, after] = decisions;
    const [allowing, denying] = isWidening ? [after, before] : [before, after];
    const [own, others] = [allowing.schemasFor(action), denying.schemasFor(action)];
    if (allowed === false || allowing.rejectsAll(action) || this.options.answers.isImpossible(allowed)) return rules;
    if (!denying.rejectsAll(action) && isAccepted(own, others)) return rules;
    const question = {
      ...this.question(compared, action, allowed, own),
      candidates: schemaCandidates([...own, ...others]),
    };
    const replays = await this.options.loadReplays();
    const confirm = (situation: Situation): boolean =>
      isAt(point, situation.request, this.options.principals, this.options.selecting) &&
      turns(replays, situation, isWidening);
    const shown = this.options.answers.shown(question, confirm);
    if (shown === undefined) return { answer: undecided('schemas differ'), roles: [] };
    const found = { answer: 'yes', by: 'search', situation: shrink(shown, confirm) } as const;
    const answer = this.asSchemasAllow(question, found, confirm, this.listBelievable(point.kind, [], replays));
    return { answer, roles: roles.filter((role) => this.showsAlone(question, role, answer.situation, confirm)) };
  }

  private question(
    { point, roles }: ComparedPoint,
    action: string,
    formula: Formula,
    schemas: Question['schemas'],
  ): Question {
    return {
      formula,
      point,
      principals: this.options.principals,
      action,
      roles,
      globals: this.options.selecting.globals,
      schemas: this.isEnforcing ? schemas : [],
    };
  }

  /** Whether the schemas of both sets accept the same attributes, as they are the same; or do not matter. */
  acceptAlike({ decisions }: ComparedPoint, action: string): boolean {
    if (!this.isEnforcing) return true;
    const [before, after] = decisions;
    return (
      before.rejectsAll(action) === after.rejectsAll(action) &&
      areSameSchemas(before.schemasFor(action), after.schemasFor(action))
    );
  }

  get isEnforcing(): boolean {
    return this.options.selecting.schemaEnforcement === 'reject';
  }

  /** Whether a principal with one role alone shows what a situation shows. */
  private showsAlone(
    question: Question,
    role: string,
    situation: Situation,
    confirm: (s: Situation) => boolean,
  ): boolean {
    const { request } = situation;
    const alone = { ...situation, request: { ...request, principal: { ...request.principal, roles: [role] } } };
    if (confirm(alone)) return true;
    const formula = withRoles(question.formula, (other) => other === role);
    if (formula === false || this.options.answers.isImpossible(formula)) return false;
    const confirmAlone = (shown: Situation): boolean => {
      const { roles } = shown.request.principal;
      return roles.length === 1 && roles[0] === role && confirm(shown);
    };
    return (
      this.options.answers.shown({ ...question, formula, roles: [role] }, confirmAlone, [], TRIES_OF_ROLE) !== undefined
    );
  }
}

function withRequiredAttributes(situation: Situation, schemas: Question['schemas']): Situation {
  const { request } = situation;
  const { principal, resource } = request;
  return {
    ...situation,
    request: {
      ...request,
      principal: { ...principal, attr: withRequired(principal.attr ?? {}, 'principal', schemas) },
      resource: { ...resource, attr: withRequired(resource.attr ?? {}, 'resource', schemas) },
    },
  };
}

function turns(replays: Replays, situation: Situation, isWidening: boolean): boolean {
  const [before, after] = replays.map((replay) => replay.isAllowed(situation));
  return before !== isWidening && after === isWidening;
}
