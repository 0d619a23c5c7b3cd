import type { Program } from '../ir/program.js';
import { foldConstants } from './passes/fold-constants.js';
import { inlineConstants } from './passes/inline-constants.js';

/** The passes, in order. */
export const passes: readonly ((program: Program) => Program)[] = [
  inlineConstants, // before folding: what it puts in is there to be folded
  foldConstants,
];
