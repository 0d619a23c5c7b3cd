import { charge } from '../cel/index.js';
import { entryOf } from './entry-of.js';
import type { ResourceChain } from './resource-chain.js';
import { lineageBits } from './role-bits.js';

/**
 * The roles of a request by how a chain judges them: roles of one class are told apart by none of its scopes. So the
 * cost of a decision depends on what policies name, not on how many roles the caller sends.
 */
export interface RoleClasses {
  /** The first role of each class, in the order of the request. */
  readonly first: readonly string[];
  /** The class of each role. */
  readonly of: Uint32Array;
  /** The first two roles of each class, in the order of the request. */
  readonly firstTwo: readonly number[];
  /** The classes in the order of their last roles. */
  readonly byLast: readonly number[];
}

/** With no more roles than this, finding their classes would cost more than it saves. */
export const FEW_ROLES = 8;

/** The classes of some roles. */
export function roleClasses(
  roles: readonly string[],
  chain: ResourceChain,
  lineages: ReadonlyMap<string, readonly string[]> | undefined,
): RoleClasses {
  const classes = new Map<string, number>();
  const first: string[] = [];
  const counts: number[] = [];
  const last: number[] = [];
  const firstTwo: number[] = [];
  const of = new Uint32Array(roles.length);
  for (let position = 0; position < roles.length; position++) {
    const role = roles[position] as string;
    const text = lineages?.has(role) ? `=${role}` : classText(role, chain);
    const number = entryOf(classes, text, () => first.push(role) - 1);
    of[position] = number;
    last[number] = position;
    counts[number] = (counts[number] ?? 0) + 1;
    if ((counts[number] as number) <= 2) firstTwo.push(position);
  }
  const byLast = [...first.keys()].sort((a, b) => (last[a] as number) - (last[b] as number));
  return { first, of, firstTwo, byLast };
}

/**
 * A role that a policy names in a way bits cannot tell is a class of its own: its text, which cannot be mistaken for
 * bits.
 */
function classText(role: string, chain: ResourceChain): string {
  let text = ' ';
  for (let step = chain.first; step !== undefined; step = step.parent) {
    if (step.limits?.byRole.has(role)) return `=${role}`;
    if (step.table === undefined) continue;
    const { shape } = step.table;
    text += `${lineageBits(shape, [role])},`;
    if (!shape.crowded) continue;
    if (shape.roles.has(role)) return `=${role}`;
    for (const { matches } of shape.roleGlobs) text += matches(role) ? 1 : 0;
  }
  return text;
}

/**
 * Which of many roles to judge where outputs are wanted, as each role repeats what the others of its class say. The
 * first of a class may be silent where the next one speaks
 * (docs/spec/policy-language.md#outputs-and-inactive-derived-roles), so two of them speak for all.
 */
export class Speakers {
  private readonly states: Uint8Array;
  /** The place among the first two of each class of the role judged last, while no class is known to speak. */
  private candidate = 0;
  private isAnyLoud = false;
  private said = 0;

  constructor(private readonly classes: RoleClasses) {
    this.states = new Uint8Array(classes.first.length);
  }

  /**
   * The role to judge after one that was judged; `said` is the number of outputs so far. An action begins with the
   * first role.
   */
  next(role: number, said: number): number {
    if (role === 0) this.begin();
    this.learn(role, said);
    const { of, firstTwo } = this.classes;
    if (!this.isAnyLoud) return firstTwo[++this.candidate] ?? of.length;
    let next = role + 1;
    while (next < of.length && this.states[of[next] as number] === SILENT) next++;
    charge(next - role);
    return next;
  }

  private begin(): void {
    this.states.fill(0);
    this.candidate = 0;
    this.isAnyLoud = false;
  }

  private learn(role: number, said: number): void {
    const number = this.classes.of[role] as number;
    const state = this.states[number] as number;
    if (state === 0) this.states[number] = ONCE;
    else if (state === ONCE) {
      this.states[number] = said === this.said ? SILENT : LOUD;
      if (said !== this.said) this.isAnyLoud = true;
    }
    this.said = said;
  }
}

/** What is known of a class: that its first role has been judged; what its second has shown. */
const ONCE = 1;
const SILENT = 2;
const LOUD = 3;
