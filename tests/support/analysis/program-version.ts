import type { PolicyVersion } from '../../../packages/analysis/decision/policy-version.js';
import { makeBundle } from '../../../packages/analysis/program/bundle.js';
import type { CompiledBundle } from '../../../runtime/engine/index.js';
import type { CompileOptions } from '../../../compiler/compile.js';
import { fold, optimise } from '../../../compiler/optimise/index.js';
import { compileTexts } from '../compiled.js';

/** A bundle that is loaded. */
export function ready(bundle: CompiledBundle): Pick<PolicyVersion, 'hash' | 'compiled'> {
  return { hash: () => Promise.resolve(bundle.hash), compiled: () => Promise.resolve(bundle) };
}

/** Policies that are decided from their program, as emitted code does (tests/analysis/program.test.ts). */
export function programVersion(texts: { readonly [path: string]: string }, options?: CompileOptions): PolicyVersion {
  const { lowered, diagnostics } = compileTexts(texts, options);
  if (lowered === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const program = optimise(fold(lowered));
  return { source: 'policies', program, lowered, ...ready(makeBundle(program).bundle) };
}
