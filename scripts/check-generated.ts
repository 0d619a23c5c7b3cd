import { compileCommand } from '../compiler/cli/compile-command.js';

/** Fails when generated/ is not what policies/ compiles to, and says how to mend it. */
process.exitCode = await compileCommand('policies', {
  out: 'generated',
  bundle: 'dist/policies.js',
  check: true,
  emit: true,
  output: 'list',
});
