import type { Command } from 'commander';

/** A line for a shell, and what it does. */
type Example = readonly [line: string, purpose: string];

/** The examples in the `--help` of each command. Most use the files that `authzc init` writes. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  init: [
    ['authzc init', 'create a project in this folder'],
    ['authzc init my-app --template hono', 'create it in a new folder, with a sample application'],
    ['authzc init --dry-run', 'show what would be added to this project'],
  ],
  compile: [
    ['authzc compile', 'compile policies/ to generated/ and dist/policies.js'],
    ['authzc compile --table tables.yaml', 'also report rules that cannot be expressed in SQL over these tables'],
    ['authzc compile --check --fail-on warning', 'in CI: fail on a warning, or if generated/ is out of date'],
  ],
  dev: [
    ['authzc dev', 'serve policies/, run its tests after each change, and open a playground'],
    ['authzc dev --port 4000', 'at http://localhost:4000/'],
  ],
  'admin hash': [['authzc admin hash --username ops', 'ask for a password and print the credentials']],
  bundle: [
    ['authzc bundle --tests --sequence 42 --not-after 90d', 'test the policies, and write dist/policies.authzbundle'],
    ['authzc bundle keygen release', 'create a signing key'],
  ],
  'bundle sign': [['authzc bundle sign dist/policies.authzbundle --key release.key.pem', 'sign an archive']],
  'bundle push': [
    ['authzc bundle push oci://registry.example.com/policies/shop:live dist/policies.authzbundle', 'upload an archive'],
  ],
  'bundle inspect': [['authzc bundle inspect dist/policies.authzbundle', 'who built it, from which commit, and when']],
  'bundle pull': [
    ['authzc bundle pull oci://registry.example.com/policies/shop:live live.authzbundle', 'download what servers use'],
  ],
  'bundle attach': [
    [
      'authzc bundle attach oci://registry.example.com/policies/shop:live dist/policies.authzbundle',
      'attach a signature that was added after the upload',
    ],
  ],
  'bundle keygen': [['authzc bundle keygen release', 'write release.key.pem and release.pub.pem']],
  'bundle verify': [
    ['authzc bundle verify dist/policies.authzbundle --key release.pub.pem', 'verify it as a server does'],
  ],
  test: [
    ['authzc test --coverage', 'run the tests, and show what they do not exercise'],
    ["authzc test --test-filter 'action=delete' --verbose", 'show how the tests of one action are decided'],
    ['authzc test --suggest --write policies/suggested_test.yaml', 'write the tests that are missing'],
  ],
  lint: [
    ['authzc lint', 'report problems in policies/'],
    ['authzc lint --fix', 'apply safe fixes, and report what is left'],
  ],
  mcp: [['authzc mcp policies', 'start an MCP server for the policies of this project']],
  ci: [['authzc ci', 'check formatting, generated code, tests and invariants']],
  fmt: [
    ['authzc fmt', 'format everything in policies/'],
    ['authzc fmt --check', 'in CI: fail if a file is not formatted'],
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
      'explain the decision',
    ],
  ],
  explain: [
    [
      'authzc explain --principal people/alice.yaml --resource document.yaml --action delete',
      'why Alice may or may not delete a document',
    ],
    [
      'authzc explain --principal people/alice.yaml --resource document.yaml --action delete --keep principal',
      'how the document would have to change to flip the decision',
    ],
  ],
  diff: [
    ['authzc diff main..', 'what the changes since main allow or deny'],
    ['authzc diff v1.0.0 main -o markdown --fail-on widened', 'compare two revisions, for a pull request'],
  ],
  replay: [
    ['authzc replay audit.log --against policies', 'which decisions of an audit log these policies would change'],
    [
      'authzc replay audit.log --against main --kind document --since 2025-01-31T00:00:00Z',
      'only decisions about documents since a time, with the policies of a git revision',
    ],
  ],
  docs: [['authzc docs variable/unused', 'what a warning means, and how to fix it']],
  rls: [
    ['authzc rls --table tables.yaml --out rls.sql', 'write row level security for the tables in a file'],
    ['authzc rls --table tables.yaml --check rls.sql', 'in CI: fail if the script is out of date'],
    ['authzc rls --table tables.yaml -o prisma --name 20250131_rls', 'write it as a Prisma migration'],
    [
      'authzc rls --table tables.yaml --drop',
      'print the statements that drop it, to run before the type of a column changes',
    ],
  ],
  'rls diff': [
    ['authzc rls diff main.. --table tables.yaml', 'show what a branch changes about each statement on a table'],
  ],
  'review start': [
    [
      'authzc review start --review q1.json --users tables.yaml --database --kind document',
      'freeze the users and documents of a database',
    ],
  ],
  'review record': [
    [
      'authzc review record --review q1.json --users tables.yaml --database --kind document --export access.json --decisions decisions.json --by eve',
      'record what eve decided, and show what changed since the export',
    ],
  ],
  'review verify': [['authzc review verify access.html --key review.pub', 'verify the page of a review']],
  'review export': [
    [
      'authzc review export --review q1.json --users tables.yaml --database --kind document --out access.csv',
      'write who may do what with which documents, as a spreadsheet',
    ],
  ],
  'rls verify': [
    ['authzc rls verify --table tables.yaml', 'verify that the database at DATABASE_URL enforces the policies'],
    [
      'authzc rls verify --table tables.yaml --login web -o sarif',
      'verify the role of the application, and print SARIF for code scanning',
    ],
  ],
  matrix: [
    ['authzc matrix --kind document', 'the access matrix for documents'],
    ['authzc matrix -o html > matrix.html', 'the whole access matrix, as an HTML page'],
  ],
  facts: [
    ['authzc facts --kind document --lines', 'what decisions about documents read, and where'],
    ['authzc facts --write facts.lock.json', 'a file to commit, which --check compares in CI'],
  ],
  'who-can': [
    ['authzc who-can --kind document --action delete', 'who may delete a document'],
    ['authzc who-can --resource document.yaml --action delete', 'who may delete this one'],
  ],
  verify: [
    ['authzc verify', 'prove or refute all invariants'],
    ['authzc verify --kind document --timeout 10s -o list', 'the invariants of one kind, one line each'],
  ],
  inspect: [
    ['authzc inspect policies resource.document.vdefault', 'what one policy uses'],
    ['authzc inspect -o prettyjson', 'what all policies use, as JSON'],
  ],
  usages: [
    ['authzc usages', 'compare the application in this folder with policies/'],
    ['authzc usages . --policies policies -o sarif', 'print the findings as SARIF, for code scanning'],
  ],
  repl: [
    [`echo '"a" in ["a", "b"]' | authzc repl`, 'evaluate an expression'],
    ['authzc repl --history ~/.authzc_history', 'start a session that saves its history'],
  ],
  serve: [
    ['authzc serve --watch', 'serve policies/, and recompile when a policy changes'],
    ['authzc serve policies --set schema.enforcement=reject', 'also deny requests that violate their schemas'],
  ],
  server: [['authzc server --config config.yaml --log-level info', 'serve under the Cerbos API names as well']],
  'migrate accesscontrol': [
    ['authzc migrate accesscontrol grants.json', 'show the policies for grants of accesscontrol'],
    [
      'authzc migrate accesscontrol grants.json --owner authorId --write',
      'write them, with the owner in R.attr.authorId',
    ],
  ],
  migrate: [
    ['authzc migrate', 'show what migrating this repository from Cerbos takes, and whether it works'],
    ['authzc migrate --config config.yaml --no-server -o json', 'print the report for this configuration as JSON'],
  ],
  run: [['authzc run -- npm test', 'run tests that need a server']],
  lsp: [['authzc lsp --stdio', 'the command that an editor starts']],
  completion: [['eval "$(authzc completion bash)"', 'complete commands and flags in this shell']],
  'config print': [
    ['authzc config print --config config.yaml', 'the configuration that a server with this file uses'],
    ['authzc config print --set server.workers=4', 'the defaults, with one change'],
  ],
  healthcheck: [
    ['authzc healthcheck --kind http', 'check the local server over HTTP'],
    ['authzc healthcheck --host-port pdp.internal:3593 --ca-cert ca.pem', 'check a remote server over TLS'],
  ],
  fleet: [
    [
      'authzc fleet status https://pdp-1.internal:3592 https://pdp-2.internal:3592',
      'check whether two servers decide with the same bundle',
    ],
    ['authzc fleet status http://127.0.0.1:3592 -o json', 'print the state of one server as JSON'],
  ],
  'fleet status': [
    ['authzc fleet status --file servers.txt --username admin', 'ask the servers of a file, with AUTHZ_PASSWORD'],
  ],
  'audit verify': [
    ['authzc audit verify audit.log --key audit.pub.pem', 'verify a log, and the signatures of its checkpoints'],
  ],
  audit: [
    ['authzc audit --tail 5', 'print the five newest calls'],
    ['authzc audit --kind decision --since 3h --raw', 'print the decisions of the last three hours as JSON lines'],
  ],
};

/** Adds the examples to the `--help` of the commands of `authzc`. */
export function addExamples(program: Command): void {
  const visit = (command: Command, path: string): void => {
    const own = Object.hasOwn(EXAMPLES, path) ? EXAMPLES[path] : undefined;
    if (own !== undefined) command.addHelpText('after', `\nExamples:\n${own.map(formatExample).join('\n')}`);
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
}

function formatExample([line, purpose]: Example): string {
  return `  # ${purpose}\n  ${line}\n`;
}
