import { quote } from '../../compiler/emit/quote.js';
import { Random } from './oracle/random.js';

/** Policies that differ only in texts, which could break a generator that looks for literals in code. */
export interface HostileSet {
  /** Texts of the policies by path. */
  readonly policies: { readonly [path: string]: string };
  /** Texts of the JSON schemas by path. */
  readonly schemas: { readonly [path: string]: string };
  /** What to ask each policy about. */
  readonly asked: readonly Asked[];
}

/** The texts of one policy. */
export interface Asked {
  readonly kind: string;
  readonly scope: string;
  readonly version: string;
  readonly principal: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Values with which conditions may hold. */
  readonly values: readonly (string | number)[];
}

/** Parts of texts: every quote, escape, comment and line break, and what code of a bundle is made of. */
const FRAGMENTS: readonly string[] = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  '\\"',
  '//',
  '/*',
  '*/',
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '${',
  '}',
  '$$1',
  '$$12',
  '$$export0',
  '$&',
  "$'",
  'import.meta',
  'import * as cel from',
  '\nimport x from "y";\n',
  '\nexport const policy = 1;\n',
  '\nexport { x as policies };\n',
  'export const ',
  '</script>',
  '<!--',
  '-->',
  '//# sourceMappingURL=x',
  '/* @__PURE__ */',
  "'+eval(P.attr.f)+'",
  '"+eval(P.attr.f)+"',
  '`+eval(P.attr.f)+`',
  '${eval(P.attr.f)}',
  ');eval(P.attr.f);(',
  ': ',
  '1e+21',
  '7n',
  ' 12 ',
  '-0',
  'it',
  's',
  'Women',
  ', ',
  ';',
  '=> ({',
  '__proto__',
  '🔐',
  '\u202e',
  '\u0000',
];

/** Texts of few fragments, of quotes above all: a generator must not be saved by another one that it gives up at. */
const QUOTES: readonly string[] = [
  "'",
  '"',
  "'1",
  '7 ',
  ' it',
  ': ',
  '\\',
  "'+eval(P.attr.f)+'",
  '"+eval(P.attr.f)+"',
  '$$3',
];

/** Numbers in every notation of generated code. */
const NUMBERS: readonly (string | number)[] = [
  '0',
  '7',
  '-7',
  '1e+21',
  '5e-7',
  '0.5',
  '-0.0',
  '12u',
  '9007199254740993',
];

/** How many policies a set has: enough of one shape to share a function (compiler/bundle/module-groups.ts). */
export const SIZE = 36;

/** A random set, in whose policies only the texts differ. */
export function hostileSet(seed: number, { scoped = false } = {}): HostileSet {
  const policies: Record<string, string> = {};
  const schemas: Record<string, string> = {};
  const asked: Asked[] = [];
  const first = new Random(seed);
  const isOfRoles = first.chance(0.5);
  for (let index = 0; index < SIZE; index += 1) {
    // The same structure for each policy, other texts.
    const maker = new PolicyMaker(new Random(seed), new Random(seed * 1_000 + index), index, scoped);
    for (const [name, document] of Object.entries(maker.documents(isOfRoles)))
      policies[`p${index}_${name}.yaml`] = JSON.stringify(document, undefined, 1);
    Object.assign(schemas, maker.schemas);
    asked.push(maker.asked());
  }
  return { policies, schemas, asked };
}

/** A text of random fragments. As literals, all are equally long: lines of code then break at the same places. */
function hostileText(random: Random, fragments = FRAGMENTS): string {
  let text = '';
  for (;;) {
    const longer = text + random.pick(fragments);
    if (quote(longer).length > LENGTH) return text.padEnd(text.length + LENGTH - quote(text).length, 'x');
    text = longer;
  }
}

const LENGTH = 42;

class PolicyMaker {
  readonly schemas: Record<string, string> = {};
  private readonly actions: string[] = [];
  private readonly roles: string[] = [];
  private readonly values: (string | number)[] = [];
  private readonly fragments: readonly string[];

  constructor(
    private readonly shape: Random,
    private readonly texts: Random,
    private readonly index: number,
    private readonly scoped: boolean,
  ) {
    this.fragments = shape.pick([QUOTES, shape.some(QUOTES, 2, 4), shape.some(FRAGMENTS, 3, 8), FRAGMENTS]);
  }

  asked(): Asked {
    const { kind, scope, version, principal, actions, roles, values } = this;
    return { kind, scope, version, principal, actions, roles, values };
  }

  private get kind(): string {
    return `${this.index} it's "kind" $$${this.index} import.meta`;
  }

  private get scope(): string {
    return this.scoped ? `import-meta_${this.index}` : '';
  }

  private get version(): string {
    return `v${this.index}`;
  }

  private get principal(): string {
    return `${this.index}'s // "\u2028`;
  }

  documents(isOfRoles: boolean): Record<string, unknown> {
    const imported = `roles_${this.index}`;
    const api = {
      apiVersion: 'api.authz.dev/v1',
      description: this.text(),
      metadata: { annotations: { a: this.text() } },
    };
    const derived = {
      name: imported,
      definitions: [{ name: 'derived', parentRoles: [this.role(), '*'], condition: this.condition() }],
    };
    const schema = `${this.index} it's.json`;
    this.schemas[schema] = JSON.stringify({
      type: 'object',
      properties: { a: { enum: [this.value(), this.value(), 1, null] }, b: { type: 'string', pattern: '^[^"]*' } },
    });
    const ownScope = this.scope === '' ? {} : { scope: this.scope };
    const resourcePolicy = {
      resource: this.kind,
      version: this.version,
      ...ownScope,
      importDerivedRoles: [imported],
      variables: { local: { v: this.expression(), w: this.expression() } },
      constants: {
        local: { c: this.value(), list: [this.value(), this.value()], map: { [this.text()]: this.value() } },
      },
      ...(this.shape.chance(0.4) && {
        schemas: {
          resourceSchema: { ref: `authz:///${encodeURIComponent(schema)}`, ignoreWhen: { actions: [this.action()] } },
        },
      }),
      rules: [
        ...this.shape.times(1, 3, (index) => this.rule(index)),
        { actions: ['*'], effect: 'EFFECT_ALLOW', roles: [this.role()], condition: { match: { expr: 'V.v || V.w' } } },
      ],
    };
    const principalPolicy = {
      principal: this.principal,
      version: this.version,
      ...ownScope,
      rules: [
        {
          resource: this.kind,
          actions: [{ name: `rule-${this.index}`, action: this.action(), effect: this.effect(), ...this.conditions() }],
        },
      ],
    };
    const rolePolicy = {
      role: this.role().replaceAll(/[!*?[\]{}]/g, ''),
      version: this.version,
      ...ownScope,
      rules: [
        {
          name: 'import.meta',
          resource: this.kind,
          allowActions: [this.action(), this.action()],
          ...this.conditions(),
        },
      ],
    };
    return {
      resource: { ...api, resourcePolicy },
      derived: { ...api, derivedRoles: derived },
      principal: { ...api, principalPolicy },
      ...(isOfRoles && { role: { ...api, rolePolicy } }),
      ...(this.scoped && this.atRoot()),
    };
  }

  /** Scoped policies need others above them. */
  private atRoot(): Record<string, unknown> {
    const { kind: resource, version, principal } = this;
    const api = { apiVersion: 'api.authz.dev/v1' };
    return {
      resource_root: { ...api, resourcePolicy: { resource, version, rules: [] } },
      principal_root: { ...api, principalPolicy: { principal, version, rules: [] } },
    };
  }

  private rule(index: number): unknown {
    return {
      name: this.shape.chance(0.5) ? `rule-${index}` : undefined,
      actions: [this.action(), this.action()],
      effect: this.effect(),
      ...(this.shape.chance(0.3) ? { derivedRoles: ['derived'] } : { roles: [this.role(), this.role()] }),
      ...this.conditions(),
      ...(this.shape.chance(0.5) && {
        output: { when: { ruleActivated: this.quoted(this.text()), conditionNotMet: `${this.string()} + P.id` } },
      }),
    };
  }

  private conditions(): object {
    return this.shape.chance(0.8) ? { condition: this.condition() } : {};
  }

  private condition(): unknown {
    const kind = this.shape.pick(['expr', 'all', 'any', 'none'] as const);
    if (kind === 'expr') return { match: { expr: this.expression() } };
    return { match: { [kind]: { of: this.shape.times(1, 3, () => ({ expr: this.expression() })) } } };
  }

  private expression(): string {
    const some = (): string => this.quoted(this.value());
    const forms: readonly (() => string)[] = [
      () => `R.attr.a == ${some()}`,
      () => `R.attr.a != ${some()}`,
      () => `${some()} == R.attr.b || P.attr.a == ${some()}`,
      () => `R.attr.a in [${some()}, ${some()}, ${some()}]`,
      () => `!(R.attr.b in [${some()}, ${some()}])`,
      () => `R.attr.a.startsWith(${some()}) && R.attr.b.contains(${some()})`,
      () => `R.attr[${some()}] == ${some()}`,
      () => `has(R.attr.a) && R.attr.a + ${some()} == ${some()} + R.attr.a`,
      () => `R.attr.list.exists(x, x == ${some()})`,
      () => `{${some()}: R.attr.a}[R.attr.b] == ${some()}`,
      () => `R.attr.n == ${this.number()} || R.attr.n > ${this.number()}`,
      () => `R.attr.a.matches(${this.quoted(escapedPattern(this.value()))})`,
      () => `P.id == ${this.quoted(this.principal)} && R.attr.a == ${some()}`,
      () => `size(${some()}) > ${this.texts.below(9)} ? R.attr.a == ${some()} : R.attr.b == ${some()}`,
      () => `bytes(R.attr.a) == bytes(${some()})`,
    ];
    return this.shape.pick(forms)();
  }

  private string(): string {
    return this.quoted(this.text());
  }

  private number(): string {
    const number = String(this.texts.pick(NUMBERS));
    if (!number.endsWith('u') && this.values.length < 12) this.values.push(Number(number));
    return number.includes('e') || number.includes('.') || number.endsWith('u') ? number : `${number}`;
  }

  private text(): string {
    return hostileText(this.texts, this.fragments);
  }

  /** A text that requests have as well. */
  private value(): string {
    const text = this.text();
    this.values.push(text);
    return text;
  }

  private action(): string {
    return this.name(this.actions);
  }

  private role(): string {
    return this.name(this.roles);
  }

  /** A name that is no pattern. Most are the same in all policies: names of roles and actions are in code as well. */
  private name(names: string[]): string {
    const text = hostileText(this.shape.chance(0.8) ? this.shape : this.texts, this.fragments);
    const name = `${text}${names.length}`.replaceAll('*', '');
    names.push(name);
    return name;
  }

  private effect(): string {
    return this.shape.pick(['EFFECT_ALLOW', 'EFFECT_ALLOW', 'EFFECT_DENY']);
  }

  private quoted(text: string): string {
    return JSON.stringify(text);
  }
}

/** A pattern that matches a text. */
function escapedPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
