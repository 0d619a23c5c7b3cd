import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Compilation } from '../../compiler/compile.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutated folders, and the first seed. */
const ROUNDS = rounds(120);

/** Strings that must stay strings, wherever a policy puts them: if one became code, `escaped` would be called. */
const HOSTILE = [
  "'];escaped();//",
  '*/escaped()/*',
  '\u2028escaped()\u2029',
  '\nescaped()\n',
  '`${escaped()}`',
  '\\',
  '"\\u0022+escaped()+"',
  '__proto__',
  'constructor',
  'toString',
  'then',
  'R',
  'cel',
  'default',
  'a'.repeat(5000),
  'é漢😀',
  '\u0000',
  '\ud800',
  '</script>',
  '*',
  'a:*',
  '[!',
  '{{',
];

const EXPRESSIONS = [
  'R.attr.constructor == "x" && !(R.attr.__proto__ == 1)',
  '"\';escaped();//" == R.attr.a',
  'R.attr["*/escaped()/*"] == 1',
  'R.attr.a.b.c.d.e[0]["x"].`k-k`',
  'V.a',
  'V.b == V.a',
  'V',
  'C',
  'G.x',
  'C.a == 1',
  'V.?zz.orValue(1)',
  'has(V.a)',
  'runtime.effectiveDerivedRoles == ["x"]',
  '[1, 2].map(x, x + 1).exists(x, x == 2)',
  'R.attr.l.all(R, R == 1)',
  'cel.bind(cel, R.attr.a, cel == 1)',
  '1 / 0 == 1',
  'timestamp("x")',
  'R.attr.a.matches("(")',
  '"%d".format(["x"])',
  '('.repeat(300),
  'a'.repeat(2000),
  '',
  '!',
  '1 +',
];

const test = suite('hostile folders');
const escapes: string[] = [];
Object.defineProperty(globalThis, 'escaped', { value: () => escapes.push('called') });

test(`every folder of mutated policies compiles to a bundle or to diagnostics with a location (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const counts = { bundles: 0, refused: 0, loaded: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const texts = mutatedFolder(random);
    const compilation = compileSafely(texts);
    if (compilation.program === undefined) {
      assert.ok(
        compilation.diagnostics.some(({ severity }) => severity === 'error'),
        'refused without an error',
      );
      counts.refused += 1;
    } else {
      counts.bundles += 1;
      if (counts.bundles % 10 === 1) {
        await loaded(compilation);
        counts.loaded += 1;
      }
    }
    for (const { place, source } of compilation.diagnostics) {
      if (place === undefined) continue;
      assert.ok(
        place.span.start <= place.span.end && place.span.end <= (source?.text.length ?? 0),
        'a place outside its file',
      );
    }
  }
  console.log(`  hostile folders: ${JSON.stringify(counts)}`);
  assert.equal(escapes, [], 'a string of a policy ran as code');
  assert.ok(counts.bundles > 0 && counts.refused > 0 && counts.loaded > 0);
});

test.run();

function compileSafely(texts: { readonly [path: string]: string }): Compilation {
  try {
    return compileTexts(texts);
  } catch (error) {
    throw new Error(`the compiler threw on ${JSON.stringify(texts)}`, { cause: error });
  }
}

function mutatedFolder(random: Random): { readonly [path: string]: string } {
  const documents = randomStore(random, { outputs: true, runtime: true });
  const texts: Record<string, string> = {};
  const rate = random.pick([0.002, 0.01, 0.05]);
  const victim = random.below(documents.length);
  documents.forEach((document, index) => {
    const value = index === victim ? mutatedValue(document, random, rate) : document;
    const text = JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...(value as object) });
    texts[`p${index}.yaml`] = index === victim && random.chance(0.1) ? mutatedText(text, random) : text;
  });
  return texts;
}

/** The value with some of its strings, keys and branches replaced, dropped or repeated. */
function mutatedValue(value: unknown, random: Random, rate: number): unknown {
  if (typeof value === 'string') {
    if (!random.chance(rate)) return value;
    return random.chance(0.5) ? random.pick(HOSTILE) : random.pick(EXPRESSIONS);
  }
  if (Array.isArray(value)) {
    const items = value.filter(() => !random.chance(rate / 2)).map((item) => mutatedValue(item, random, rate));
    return items.length > 0 && random.chance(rate) ? [...items, items[0]] : items;
  }
  if (typeof value !== 'object' || value === null)
    return random.chance(rate) ? random.pick([null, 1.5, true, [], {}, 'x']) : value;
  const entries = Object.entries(value)
    .filter(() => !random.chance(rate / 4))
    .map(
      ([key, item]) =>
        [random.chance(rate / 4) ? random.pick(HOSTILE) : key, mutatedValue(item, random, rate)] as const,
    );
  return Object.fromEntries(entries);
}

function mutatedText(text: string, random: Random): string {
  const at = random.below(text.length);
  const length = random.below(20);
  return `${text.slice(0, at)}${random.pick([...HOSTILE, ...EXPRESSIONS, '{', '}', ',', ':', '"', '&a ', '*a', '- '])}${text.slice(at + length)}`;
}
