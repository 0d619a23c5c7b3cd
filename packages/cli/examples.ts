import type { Command } from 'commander';

/** A line for a shell, and what it does. */
type Example = readonly [line: string, purpose: string];

/** The examples in the `--help` of each command. Most use the files that `authzc init` writes. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  init: [
    ['authzc init', 'create a project in this folder'],
    ['authzc init my-app --template hono', 'create it in a new folder, with an application'],
    ['authzc init --dry-run', 'show what it would add to this project'],
  ],
  compile: [
    ['authzc compile', 'compile policies/ to generated/ and dist/policies.js'],
    ['authzc compile --table tables.yaml', 'also report the rules that have no SQL condition over these tables'],
    ['authzc compile --check --fail-on warning', 'in CI: fail if generated/ is out of date, or on a warning'],
  ],
  bundle: [
    ['authzc bundle --tests --sequence 42 --not-after 90d', 'test the policies, and write dist/policies.authzbundle'],
    ['authzc bundle keygen release', 'create a key that signs archives'],
  ],
  'bundle sign': [['authzc bundle sign dist/policies.authzbundle --key release.key.pem', 'sign an archive']],
  'bundle push': [
    ['authzc bundle push oci://registry.example.com/policies/shop:live dist/policies.authzbundle', 'upload an archive'],
  ],
  'bundle verify': [
    ['authzc bundle verify dist/policies.authzbundle --key release.pub.pem', 'check it as a server does'],
  ],
  test: [
    ['authzc test --coverage', 'run the tests and show what they do not exercise'],
    ["authzc test --test-filter 'action=delete' --verbose", 'show how the tests of one action are decided'],
    ['authzc test --suggest --write policies/suggested_test.yaml', 'write the tests that are missing'],
  ],
  lint: [
    ['authzc lint', 'report the problems of policies/'],
    ['authzc lint --fix', 'fix those that have a safe fix first'],
  ],
  mcp: [['authzc mcp policies', 'serve agents with the policies of this project']],
  ci: [['authzc ci', 'check style, generated code, tests and invariants']],
  fmt: [
    ['authzc fmt', 'write policies, tests and fixtures in one style'],
    ['authzc fmt --check', 'in CI: fail if a file is not in this style'],
  ],
  plan: [
    ['authzc plan --principal people/alice.yaml --kind document --action view', 'which documents Alice may view'],
    [
      `echo '{"id": "bob", "roles": ["user"]}' | authzc plan --principal - --kind document --action edit -o json`,
      'read the principal from standard input, and print JSON',
    ],
  ],
  check: [
    [
      'authzc check --principal people/alice.yaml --resource document.yaml --action view --action edit',
      'whether Alice may view and edit a document',
    ],
    [
      'authzc check --principal people/alice.yaml --resource document.yaml --action view --explain',
      'whether she may view it, and why',
    ],
  ],
  explain: [
    [
      'authzc explain --principal people/alice.yaml --resource document.yaml --action delete',
      'why Alice may, or may not, delete a document',
    ],
    [
      'authzc explain --principal people/alice.yaml --resource document.yaml --action delete --keep principal',
      'what would have to change in the document',
    ],
  ],
  diff: [
    ['authzc diff main..', 'what the changes since main allow and deny'],
    ['authzc diff v1.0.0 main -o markdown --fail-on widened', 'compare two revisions, for a pull request'],
  ],
  replay: [
    ['authzc replay audit.log --against policies', 'which decisions of an audit log these policies would change'],
    [
      'authzc replay audit.log --against main --kind document --since 2025-01-31T00:00:00Z',
      'some of its decisions, with the policies of a git revision',
    ],
  ],
  docs: [['authzc docs variable/unused', 'what a warning means, and how to fix it']],
  matrix: [
    ['authzc matrix --kind document', 'who may do what with documents'],
    ['authzc matrix -o html > matrix.html', 'who may do what, as a page'],
  ],
  'who-can': [
    ['authzc who-can --kind document --action delete', 'who may delete a document'],
    ['authzc who-can --resource document.yaml --action delete', 'who may delete this one'],
  ],
  verify: [
    ['authzc verify', 'prove or refute all statements'],
    ['authzc verify --kind document --timeout 10s -o list', 'those about one kind, a line for each'],
  ],
  inspect: [
    ['authzc inspect policies resource.document.vdefault', 'what one policy uses'],
    ['authzc inspect -o prettyjson', 'what all policies use, as JSON'],
  ],
  usages: [
    ['authzc usages', 'compare the application in this folder with policies/'],
    ['authzc usages . --policies policies -o sarif', 'print what it finds as SARIF, for code scanning'],
  ],
  repl: [
    [`echo '"a" in ["a", "b"]' | authzc repl`, 'evaluate an expression'],
    ['authzc repl --history ~/.authzc_history', 'start a session that remembers what was entered'],
  ],
  serve: [
    ['authzc serve --watch', 'serve policies/, and compile again when a policy changes'],
    ['authzc serve policies --set schema.enforcement=reject', 'also deny requests that violate their schemas'],
  ],
  server: [['authzc server --config config.yaml --log-level info', 'serve under the names of the reference PDP, too']],
  migrate: [
    ['authzc migrate', 'show what moving this repository from the reference PDP takes, and whether it works'],
    ['authzc migrate --config config.yaml --no-server -o json', 'the same as JSON, for this configuration'],
  ],
  run: [['authzc run -- npm test', 'run tests that need a server']],
  lsp: [['authzc lsp --stdio', 'what an editor starts']],
  completion: [['eval "$(authzc completion bash)"', 'complete commands and flags in this shell']],
  'config print': [
    ['authzc config print --config config.yaml', 'what a server with this file uses'],
    ['authzc config print --set server.workers=4', 'the defaults, with one change'],
  ],
  healthcheck: [
    ['authzc healthcheck --kind http', 'ask the server on this machine, over HTTP'],
    ['authzc healthcheck --host-port pdp.internal:3593 --ca-cert ca.pem', 'ask another one, over TLS'],
  ],
  fleet: [
    [
      'authzc fleet status https://pdp-1.internal:3592 https://pdp-2.internal:3592',
      'whether both decide by one bundle',
    ],
    ['authzc fleet status http://127.0.0.1:3592 -o json', 'the state of one server, as JSON'],
  ],
  audit: [
    ['authzc audit --tail 5', 'the five newest calls'],
    ['authzc audit --kind decision --since 3h --raw', 'the decisions of the last three hours, as JSON lines'],
  ],
};

/** Adds the examples to the `--help` of the commands of `authzc`. */
export function addExamples(program: Command): void {
  const visit = (command: Command, path: string): void => {
    const own = Object.hasOwn(EXAMPLES, path) ? EXAMPLES[path] : undefined;
    if (own !== undefined) command.addHelpText('after', `\nExamples:\n${own.map(textOf).join('\n')}`);
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
}

function textOf([line, purpose]: Example): string {
  return `  # ${purpose}\n  ${line}\n`;
}
