import type { Module, Program } from '../ir/program.js';
import { foldConstants, foldInlined, inlineConstants } from './constants.js';

/** A pass over a program. None looks beyond its module. */
type Pass = (program: Program) => Program;

/**
 * The same program, with what literals decide decided. This is part of the language
 * (docs/spec/conditions.md#constant-folding), so it comes before constants are put in: those decide nothing.
 */
export const fold: Pass = oncePerModule([foldConstants]);

/** A folded program, with what constants decide decided. Each pass may be left out. */
export const optimise: Pass = oncePerModule([inlineConstants, foldInlined]);

function oncePerModule(passes: readonly Pass[]): Pass {
  // Entries go with the modules they are about.
  const known = new WeakMap<Module, Module>();
  const apply = (module: Module): Module => {
    const alone: Program = { modules: [module], schemas: [] };
    const [result] = passes.reduce((program, pass) => pass(program), alone).modules as [Module];
    known.set(module, result);
    return result;
  };
  return (program) => ({ ...program, modules: program.modules.map((module) => known.get(module) ?? apply(module)) });
}
