import type { Engine, PreparedPrincipal } from '../../../../runtime/engine/index.js';
import type { PolicyBundle } from '../../../../runtime/policy/index.js';
import type { Decide, Question } from '../workload.js';

/** An engine, and the bundle of a workload: files that the bench builds, as programs have them. */
export interface Built {
  readonly engine: string;
  readonly policies: string;
}

/** Decides with `isAllowed`. */
export async function decideWithAuthz(built: Built, questions: readonly Question[]): Promise<Decide> {
  const engine = await createEngineOf(built);
  return (index) => engine.isAllowed(questions[index] as Question);
}

/** Decides with principals that are prepared, as those of a session are. */
export async function decideWithPrepared(built: Built, questions: readonly Question[]): Promise<Decide> {
  const engine = await createEngineOf(built);
  const known = new Map<string, PreparedPrincipal>();
  const prepared = questions.map(({ principal }) => {
    const key = JSON.stringify(principal);
    const one = known.get(key) ?? engine.for(principal);
    known.set(key, one);
    return one;
  });
  return (index) => {
    const { action, resource } = questions[index] as Question;
    return (prepared[index] as PreparedPrincipal).can(action, resource);
  };
}

async function createEngineOf({ engine, policies }: Built): Promise<Engine> {
  const { createEngine } = (await import(engine)) as typeof import('../../../../runtime/engine/index.js');
  const bundle = (await import(policies)) as { readonly policies: PolicyBundle };
  return createEngine(bundle.policies);
}
