import type { Module, Program } from '../ir/program.js';
import { foldConstants, foldInlined, inlineConstants } from './constants.js';

/** The passes, in order. */
const passes: readonly ((program: Program) => Program)[] = [
  foldConstants, // before constants are put in: what literals decide, constants do not
  inlineConstants,
  foldInlined,
];

/** The same program, with what can be decided at build time decided. Each pass may be left out. */
export function optimise(program: Program): Program {
  return { ...program, modules: program.modules.map((module) => optimised.get(module) ?? optimiseModule(module)) };
}

// No pass looks beyond its module; entries go with the modules they are about.
const optimised = new WeakMap<Module, Module>();

function optimiseModule(module: Module): Module {
  const alone: Program = { modules: [module], schemas: [] };
  const [result] = passes.reduce((program, pass) => pass(program), alone).modules as [Module];
  optimised.set(module, result);
  return result;
}
