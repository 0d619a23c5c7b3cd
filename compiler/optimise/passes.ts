import type { Program } from '../ir/program.js';
import { foldConstants, foldInlined } from './passes/fold-constants.js';
import { inlineConstants } from './passes/inline-constants.js';

/** The passes, in order. */
export const passes: readonly ((program: Program) => Program)[] = [
  foldConstants, // before constants are put in: what literals decide, constants do not
  inlineConstants,
  foldInlined,
];
