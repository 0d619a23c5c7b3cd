import { setOwn } from '../../proto/wire/json-shape.js';
import type { AuditEntry, CheckInput, CheckOutput, DecisionLogEntry } from '../../proto/codec/audit-messages.js';
import type { MaskPath, MaskRoot } from '../config/audit-config.js';
import { MASKED, redactCheckOutput, redactPlanOutput, type Secrets } from './redact.js';

/**
 * An entry with everything masked that a path leads to, wherever it occurs: in the inputs, and as a value that the
 * decision repeats (outputs, operands of a filter, texts of errors). Parts with a fixed type keep it: a masked list has
 * one item, a masked map its members, each masked. The entry given, which shares its attributes with the request, is
 * left as it is.
 */
export function maskEntry<E extends AuditEntry>(entry: E, paths: readonly MaskPath[]): E {
  if (paths.length === 0) return entry;
  const masking = new Masking(paths);
  const masked = { ...entry, ...masking.members(entry, ['requestContext', 'metadata', 'peer']) };
  return 'auditTrail' in masked ? { ...masked, ...decisionOf(masked, masking) } : masked;
}

function decisionOf({ checkResources, planResources }: DecisionLogEntry, masking: Masking): Partial<DecisionLogEntry> {
  if (checkResources !== undefined) {
    const inputs = checkResources.inputs.map((input) => inputOf(input, masking));
    const outputs = checkResources.outputs.map((output) => outputOf(output, masking));
    return { checkResources: { ...checkResources, inputs, outputs } };
  }
  if (planResources === undefined) return {};
  const input = inputOf(planResources.input, masking);
  const { output } = planResources;
  return {
    planResources: { ...planResources, input, ...(output && { output: redactPlanOutput(output, masking.secrets) }) },
  };
}

function inputOf<I extends Partial<CheckInput>>(input: I, masking: Masking): I {
  return { ...input, ...masking.members(input, ['principal', 'resource', 'auxData']) };
}

function outputOf(output: CheckOutput, masking: Masking): CheckOutput {
  return redactCheckOutput({ ...output, ...masking.members(output, ['outputs']) }, masking.secrets);
}

/** One entry being masked. */
class Masking {
  /** Values that were masked. */
  readonly secrets: Secrets = new Set();
  /** Inputs share principal and claims: each is masked once. */
  readonly #done = new Map<unknown, unknown>();

  constructor(private readonly paths: readonly MaskPath[]) {}

  /** The masked form of those roots that are members of a part of the entry. */
  members<T extends object>(part: T, roots: readonly MaskRoot[]): Partial<T> {
    const masked: Record<string, unknown> = {};
    for (const root of roots) {
      const value = (part as Readonly<Record<string, unknown>>)[root];
      if (value !== undefined) masked[root] = this.#root(root, value);
    }
    return masked as Partial<T>;
  }

  #root(root: MaskRoot, value: unknown): unknown {
    const known = this.#done.get(value);
    if (known !== undefined) return known;
    let masked = value;
    for (const path of this.paths) {
      if (path.root === root) masked = this.#descend(masked, path, 0);
    }
    this.#done.set(value, masked);
    return masked;
  }

  #descend(value: unknown, path: MaskPath, depth: number): unknown {
    const step = path.steps[depth];
    if (step === undefined) return this.#mask(value, path.root, path.steps);
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        step === '*' || step === String(index) ? this.#descend(item, path, depth + 1) : item,
      );
    }
    if (value === null || typeof value !== 'object') return value;
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      setOwn(members, name, step === '*' || step === name ? this.#descend(member, path, depth + 1) : member);
    }
    return members;
  }

  #mask(value: unknown, root: MaskRoot, steps: readonly string[]): unknown {
    this.#remember(value);
    if (isFree(root, steps) || value === null || typeof value !== 'object') return MASKED;
    if (Array.isArray(value)) return [MASKED];
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value))
      setOwn(members, name, this.#mask(member, root, [...steps, name]));
    return members;
  }

  #remember(value: unknown): void {
    const open = [value];
    while (open.length > 0) {
      const next = open.pop();
      if (typeof next === 'string' || typeof next === 'number') this.secrets.add(next);
      else if (next !== null && typeof next === 'object') for (const member of Object.values(next)) open.push(member);
    }
  }
}

/** Whether any JSON value may stand at a place. */
function isFree(root: MaskRoot, steps: readonly string[]): boolean {
  switch (root) {
    case 'principal':
    case 'resource':
      return steps[0] === 'attr' && steps.length > 1;
    case 'auxData':
      return steps.length > (steps[0] === 'jwt' ? 1 : 3);
    case 'requestContext':
      return steps.length > 1;
    case 'outputs':
      return steps.length > 1 && steps[1] === 'val';
    case 'metadata':
    case 'peer':
      return false;
  }
}
