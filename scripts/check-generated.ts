import { compileCommand } from '../packages/cli/commands/compile.js';
import { PROCESS_CONTEXT } from '../packages/cli/process-context.js';

/** Folders of policies, the generated modules of each, and the bundle that is named when they are not up to date. */
const FOLDERS = [
  { policies: 'policies', out: 'generated', bundle: 'dist/policies.js' },
  { policies: 'examples/contact-api/policies', out: 'examples/contact-api/generated', bundle: 'dist/contact-api.js' },
];

/** Fails when generated modules are not what their policies compile to, and says how to mend it. */
for (const { policies, out, bundle } of FOLDERS) {
  const code = await compileCommand(
    policies,
    { out, bundle, check: true, emit: true, output: 'list' },
    PROCESS_CONTEXT,
  );
  if (code !== 0) process.exitCode = code;
}
