import type { Program } from '../ir/program.js';
import { passes } from './passes.js';

/** The same program, with what can be decided at build time decided. Each pass may be left out. */
export function optimise(program: Program): Program {
  return passes.reduce((result, pass) => pass(result), program);
}
