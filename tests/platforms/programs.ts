import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import { isPolicyFile } from '../../compiler/load/names.js';
import { minifiedProgram } from '../../scripts/minified-program.js';
import { ROOT } from '../support/compiled.js';
import { EVERYTHING } from './policies.js';
import type { Wants } from './suite.js';

/** The policies of this repository and one that uses all features, as emitted files. */
export function emittedPolicies(wants: Wants): readonly EmittedFile[] {
  const folder = join(ROOT, 'policies');
  const own = readdirSync(folder)
    .filter(isPolicyFile)
    .map((path) => new Source(path, readFileSync(join(folder, path), 'utf8')));
  const { files, diagnostics } = compile([...own, new Source('everything.yaml', EVERYTHING)], undefined, {
    checksOnly: wants === 'checks',
    explain: wants === 'explanations',
  });
  if (files.length === 0) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return files;
}

/** The suite with engine and policies, bundled like an application: a module that exports `answers()`. */
export function suiteProgram(wants: Wants): Promise<string> {
  const text = `
    import { createEngine } from 'authz/runtime';
    import { policies } from 'policies';
    import { answersOf, OPTIONS } from './tests/platforms/suite.ts';
    export const answers = () => answersOf(createEngine(policies, OPTIONS), '${wants}');`;
  return minifiedProgram(wants === 'explanations' ? EXPLAINING : text, emittedPolicies(wants));
}

/** The clients, bundled like an application: a module that exports `answers(url)`. */
export function clientProgram(): Promise<string> {
  return minifiedProgram("export { clientAnswers as answers } from './tests/platforms/client.ts';");
}

const EXPLAINING = `
  import { explainer } from 'policies';
  import { explanationsOf, OPTIONS } from './tests/platforms/suite.ts';
  const engine = await explainer(OPTIONS);
  export const answers = () => explanationsOf(engine);`;
