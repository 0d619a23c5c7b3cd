import type { Module } from '../../../compiler/ir/program.js';
import { FormulaKeys } from '../../analysis/formula/keys.js';
import { Booleans } from '../../analysis/solve/booleans.js';
import type { Prover } from '../../analysis/question/question.js';
import type { Situation } from '../../analysis/question/situation.js';
import type { Goal } from './goals.js';

/** Decides goals that searches do not reach. */
export class Reachability {
  private readonly booleans = new Booleans(new FormulaKeys());
  private started: Promise<Prover> | undefined;

  /** @param prover creates the solver when it is first needed; undefined without one. */
  constructor(private readonly prover: (() => Promise<Prover>) | undefined) {}

  /**
   * A situation that shows a goal, `impossible` if it is proved that none does, or undefined.
   *
   * @param starts situations whose names reach the rule of the goal.
   */
  async decide(
    goal: Goal,
    starts: readonly Situation[],
    shows: (situation: Situation) => boolean,
  ): Promise<Situation | 'impossible' | undefined> {
    const formula = goal.formula?.();
    if (formula === undefined) return undefined;
    if (this.booleans.isImpossible(formula)) return 'impossible';
    if (this.prover === undefined) return undefined;
    this.started ??= this.prover();
    const { module } = goal.record;
    let found: Situation | undefined;
    const { answer } = await (await this.started).prove(
      {
        formula,
        point: makePoint(module),
        principals: new Set(),
        action: '',
        roles: [],
        globals: undefined,
        schemas: [],
      },
      (candidate) => {
        found = starts.map((start) => withValues(start, candidate, module)).find(shows);
        return found !== undefined;
      },
    );
    return answer === 'no' ? 'impossible' : found;
  }

  async close(): Promise<void> {
    await (await this.started)?.close();
  }
}

/** Where the conditions of a policy are evaluated, as far as it is known. */
function makePoint(module: Module): Parameters<Prover['prove']>[0]['point'] {
  const isNamedKind = module.kind === 'resource';
  return {
    kind: isNamedKind ? module.kindName : 'x',
    isNamedKind,
    version: 'default',
    scope: '',
    isNamedScope: true,
    principal: undefined,
  };
}

/** A situation with the names of one and the values of another. */
function withValues({ request }: Situation, values: Situation, { kind }: Module): Situation {
  const { principal, resource } = request;
  const { principal: other, resource: otherResource, auxData } = values.request;
  return {
    ...values,
    request: {
      action: request.action,
      principal: {
        ...principal,
        id: kind === 'principal' ? principal.id : other.id,
        roles: [...new Set([...principal.roles, ...other.roles])],
        attr: other.attr,
      },
      resource: { ...resource, id: otherResource.id, attr: otherResource.attr },
      auxData,
    },
  };
}
