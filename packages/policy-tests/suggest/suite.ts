import { Document, isMap, type Node, Scalar, visit } from '../../yaml-input/index.js';
import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { EffectName } from '../suite.js';
import type { Situation } from '../../analysis/question/situation.js';

/** A test that is suggested. */
export interface SuggestedTest {
  readonly name: string;
  readonly situation: Situation;
  /** Whether a condition reads the time. */
  readonly readsTime: boolean;
  /** What the policies decide now. */
  readonly effect: EffectName;
}

const HEADER = ' Made by authzc: what the policies decide now. Read each line: is it what they should decide?';

/** A test suite as YAML, with fixtures that tests share. */
export function suiteText(tests: readonly SuggestedTest[]): string {
  const principals = new FixtureNames<PrincipalInput>(principalName);
  const resources = new FixtureNames<ResourceInput>(resourceName);
  const auxData = new FixtureNames<AuxDataInput>(() => 'claims');
  const written = tests.map(({ name, situation, readsTime, effect }, index) => {
    const { request, globals, now } = situation;
    const { action } = request;
    const principal = principals.nameFixture(principalFixture(request.principal));
    const resource = resources.nameFixture(resourceFixture(request.resource));
    const claims = auxDataFixture(request.auxData);
    const options = { ...(readsTime && { now }), ...(Object.keys(globals).length > 0 && { globals }) };
    return {
      name: unique(name, tests.slice(0, index)),
      ...(Object.keys(options).length > 0 && { options }),
      input: {
        principals: [principal],
        resources: [resource],
        ...(claims && { auxData: auxData.nameFixture(claims) }),
        actions: [action],
      },
      expected: [{ principal, resource, actions: new Map([[action, effect]]) }],
    };
  });
  const document = new Document(
    {
      name: 'suggested',
      principals: principals.fixtures,
      resources: resources.fixtures,
      ...(auxData.fixtures.size > 0 && { auxData: auxData.fixtures }),
      tests: written,
    },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = HEADER;
  layOut(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** The name of a test; a test that has it before makes it another one. */
function unique(name: string, before: readonly SuggestedTest[]): string {
  const same = before.filter((test) => test.name === name).length;
  return same === 0 ? name : `${name} (${same + 1})`;
}

/** A fixture is a line; so are the parts of tests. */
function layOut(document: Document): void {
  const flow = (node: unknown): void => {
    visit(node as Node, {
      Collection: (_key, collection) => {
        collection.flow = true;
      },
    });
  };
  for (const section of ['principals', 'resources', 'auxData']) {
    const fixtures = document.get(section);
    if (isMap(fixtures)) for (const { value } of fixtures.items) flow(value);
  }
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value !== 'string' || isPlain(scalar.value)) return;
      const isReadableInSingle = scalar.value.includes('"') && /^[ -~]*$/.test(scalar.value);
      scalar.type = isReadableInSingle ? Scalar.QUOTE_SINGLE : Scalar.QUOTE_DOUBLE;
    },
  });
  visit(document, {
    Pair: (_key, { key, value }) => {
      const name = String(key);
      if (name === 'tests') return undefined;
      if (name === 'input' || name === 'options') flow(value);
      if (name === 'expected') for (const item of (value as { readonly items: readonly unknown[] }).items) flow(item);
      return visit.SKIP;
    },
  });
}

/**
 * Whether every reader of YAML takes a text for a string. Some readers, such as those of Go, end a plain scalar of a
 * flow collection at any colon.
 */
function isPlain(text: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(text) && !/^(y|yes|n|no|on|off|true|false|null)$/i.test(text);
}

function principalFixture({ id, roles, attr, policyVersion, scope }: PrincipalInput): PrincipalInput {
  return { id, roles, ...written({ attr: sorted(attr), policyVersion, scope }) };
}

function resourceFixture({ kind, id, attr, policyVersion, scope }: ResourceInput): ResourceInput {
  return { kind, id, ...written({ attr: sorted(attr), policyVersion, scope }) };
}

/** Equal attributes are equal in any order. */
function sorted(attr: Attributes = {}): Attributes {
  return Object.fromEntries(Object.entries(attr).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function auxDataFixture(auxData: AuxDataInput | undefined): AuxDataInput | undefined {
  if (auxData === undefined) return undefined;
  const { jwt, jwts } = auxData;
  const given = written({ jwt, jwts });
  return Object.keys(given).length === 0 ? undefined : given;
}

/** The members that are not empty. */
function written<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]: readonly [string, unknown]) =>
        value !== undefined &&
        value !== '' &&
        !(typeof value === 'object' && Object.keys(value as object).length === 0),
    ),
  ) as Partial<T>;
}

/** Fixtures by name: equal ones are one. */
class FixtureNames<T> {
  readonly fixtures = new Map<string, T>();
  private readonly names = new Map<string, string>();

  constructor(private readonly nameFor: (fixture: T) => string) {}

  nameFixture(fixture: T): string {
    const key = JSON.stringify(fixture);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = this.free(this.nameFor(fixture).replaceAll(/[^\w-]+/g, '_') || 'fixture');
    this.names.set(key, name);
    this.fixtures.set(name, fixture);
    return name;
  }

  private free(name: string): string {
    let number = 2;
    let free = name;
    while (this.fixtures.has(free)) {
      free = `${name}_${number}`;
      number += 1;
    }
    return free;
  }
}

function principalName({ id, roles }: PrincipalInput): string {
  return [id, ...roles].join('_').slice(0, LONGEST);
}

/** `private_album`: with the one short string among its attributes. */
function resourceName({ kind, attr = {} }: ResourceInput): string {
  const words = Object.values(attr).filter((value) => typeof value === 'string' && /^[A-Za-z]\w{0,19}$/.test(value));
  return (words.length === 1 ? `${String(words[0]).toLowerCase()}_${kind}` : kind).slice(0, LONGEST);
}

const LONGEST = 40;
