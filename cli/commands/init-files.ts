import { version } from '../../compiler/version.js';
import { INIT_DOCUMENT_POLICY, INIT_DOCUMENT_SCHEMA, INIT_PRINCIPAL_SCHEMA, INIT_ROLES } from './init-policies.js';
import { INIT_TEST } from './init-test.js';

/** The files that `authzc init` makes: text by path below the project's folder. */
export function initFiles(name: string): { readonly [path: string]: string } {
  return {
    'package.json': packageJson(name),
    'policies/document.yaml': INIT_DOCUMENT_POLICY,
    'policies/document_roles.yaml': INIT_ROLES,
    'policies/_schemas/document.json': INIT_DOCUMENT_SCHEMA,
    'policies/_schemas/person.json': INIT_PRINCIPAL_SCHEMA,
    'people/alice.yaml': ALICE,
    'tests/document.test.js': INIT_TEST,
    '.github/workflows/authz.yml': WORKFLOW,
    '.gitignore': 'node_modules/\ndist/\n',
    'README.md': readme(name),
  };
}

/**
 * Generated modules import the runtime as `#runtime/...`; a program that imports the bundle alone does not need the
 * map.
 */
function packageJson(name: string): string {
  const project = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    imports: { '#runtime/*': 'authz/runtime/*' },
    scripts: {
      compile: 'authzc compile --strict-types --fail-on warning',
      test: 'npm run --silent compile && node --test --test-reporter=spec',
      serve: 'authzc serve --watch',
    },
    dependencies: { authz: `^${version}` },
  };
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

const ALICE = `id: alice
roles: [user]
attr: {team: design}
`;

const WORKFLOW = `name: authz
on:
  push:
    branches: [main]
  pull_request:
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 22, cache: npm}
      - run: npm ci
      # The committed modules are what the policies give: a reviewer has seen what will run.
      - run: npx authzc compile --strict-types --fail-on warning --check
      - run: npm test
`;

function readme(name: string): string {
  return `# ${name}

Authorization policies, compiled by authz.

| where | what |
|---|---|
| \`policies/\` | the policies: who may do what; JSON schemas of the attributes in \`_schemas/\` |
| \`tests/\` | what must be allowed and what denied |
| \`people/\` | principals to try \`authzc plan\` and \`authzc check\` with |
| \`generated/\` | what the policies compile to: commit it, review it |
| \`dist/policies.js\` | the same as one file: import it, or serve it |

\`\`\`sh
npm test          # compiles the policies and tests them
npm run serve     # answers on port 3592 (REST, Connect) and 3593 (gRPC); compiles again when a policy changes
\`\`\`
`;
}
