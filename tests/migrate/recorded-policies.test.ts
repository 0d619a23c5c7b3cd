import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migratedTree, planMigration } from '../../packages/cli/migrate/plan.js';
import { readTree, type Tree } from '../../packages/cli/migrate/tree.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';

/**
 * The policies of the recorded cases, as the reference PDP has them: migrated, they are the policies whose decisions
 * `tests/conformance` compares with the recorded ones.
 */
const test = suite('the migration of recorded policies');

if (hasCorpus(import.meta.url)) {
  test('what is migrated is what the recorded decisions are about', () => {
    let policies = 0;
    for (const name of ['check', 'plan'].flatMap((part) => foldersIn(part))) {
      const own = readTree(join(CORPUS, name));
      const theirs: Tree = new Map(
        [...own].map(([path, text]) => [
          `policies/${path}`,
          text.replaceAll('api.authz.dev/v1', 'api.cerbos.dev/v1').replaceAll('authz:///', 'cerbos:///'),
        ]),
      );
      const plan = planMigration(theirs);
      policies += plan.folders.reduce((sum, folder) => sum + folder.policies, 0);
      const migrated = migratedTree(theirs, plan);
      assert.equal(planMigration(migrated).writes, [], name);
      for (const [path, text] of own) {
        const have = migrated.get(`policies/${path}`) ?? '';
        // Texts that only look like a URL of a schema stay: the replacement above had no such care.
        assert.is(have.replaceAll('cerbos:///', 'authz:///'), text, `${name}/${path}`);
      }
      assert.equal(codesOf(migrated, 'policies/'), codesOf(own, ''), name);
    }
    assert.is(policies, 133);
  });
}

test.run();

function foldersIn(part: string): readonly string[] {
  return readdirSync(join(CORPUS, part))
    .map((name) => `${part}/${name}/policies`)
    .filter((path) => statSync(join(CORPUS, path), { throwIfNoEntry: false })?.isDirectory());
}

/** The problems that the compiler finds. */
function codesOf(tree: Tree, prefix: string): readonly string[] {
  const files = [...tree].map(([path, text]) => [path.slice(prefix.length), text] as const);
  const isSchema = ([path]: readonly [string, string]): boolean => path.startsWith('_schemas/');
  const schemaTexts = new Map(files.filter(isSchema).map(([path, text]) => [path.slice('_schemas/'.length), text]));
  const sources = files
    .filter((file) => !isSchema(file) && /\.(?:ya?ml|json)$/.test(file[0]))
    .map(([path, text]) => new Source(path, text));
  return compile(sources, new Diagnostics(), { schemaTexts }).diagnostics.map(({ code }) => code);
}
