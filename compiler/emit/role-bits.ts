import type { RoleBits, Rule } from '../ir/program.js';
import { comment } from './comment.js';
import type { Printed } from '../ir/emitted-file.js';
import { commented, type Doc, group, hardLine, indent, join, line, mention, printed } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { constantCase } from './names.js';

/** The bits of a policy's roles by their names in the module. */
export interface RoleBitNames {
  /** The declarations; undefined when no rule names a role. */
  readonly declarations: Printed | undefined;
  /** The bit of a role or a glob. */
  own(text: string): string;
  /** All bits of a role: its own and those of the globs that match it. */
  all(role: string): string;
  /** The roles that some of the rules match. */
  of(rules: readonly Rule[]): RuleBits;
}

/** The names of the bits that rules match: one of them is enough. */
export type RuleBits = readonly string[];

/** The bits of a rule that every role matches. */
export const ANYONE: RuleBits = ['ANYONE'];

/** `USER | CONTRACTOR`. */
export function bitsDoc(bits: RuleBits): Doc {
  if (bits === ANYONE) return mention('ANYONE');
  return bits.length === 0 ? '0' : group(indent(join(bits, [' |', line])));
}

/** Names the bits of a policy's roles, each after the first role that has it. */
export function roleBitNames({ literals, globs }: RoleBits, context: ModuleContext): RoleBitNames {
  const bits = new Map([
    ...literals.map(({ role, bit }) => [role, bit] as const),
    ...globs.map(({ pattern, bit }) => [pattern, bit] as const),
  ]);
  const sharing = new Map<number, string[]>();
  for (const [text, bit] of bits) {
    const texts = sharing.get(bit);
    if (texts === undefined) sharing.set(bit, [text]);
    else texts.push(text);
  }
  const names = new Map(
    [...sharing].map(([bit, [first = '']]) => [
      bit,
      context.names.fresh(constantCase(first.replaceAll('*', ' ANY '), 'ROLE')),
    ]),
  );

  const own = (text: string): string => names.get(bits.get(text) as number) as string;
  const globBits = new Map(literals.map(({ role, alsoGlobs }) => [role, alsoGlobs]));
  return {
    declarations: sharing.size === 0 ? undefined : declarations(sharing, names),
    own,
    all: (role) => [...new Set([own(role), ...(globBits.get(role) ?? []).map((bit) => names.get(bit))])].join(' | '),
    of: (rules) =>
      rules.some((rule) => rule.roles[0] === '*') ? ANYONE : [...new Set(rules.flatMap((rule) => rule.roles.map(own)))],
  };
}

function declarations(sharing: ReadonlyMap<number, readonly string[]>, names: ReadonlyMap<number, string>): Printed {
  const lines = [...sharing].map(([bit, texts]): Doc => {
    const declaration = `const ${names.get(bit)} = 1 << ${Math.log2(bit)};`;
    return texts.length === 1
      ? declaration
      : [commented(comment(`One bit for ${texts.join(', ')}.`)), hardLine, declaration];
  });
  const head = commented('// The roles of this policy, one bit each; `*` is every role.');
  return printed(join([head, ...lines], hardLine));
}
