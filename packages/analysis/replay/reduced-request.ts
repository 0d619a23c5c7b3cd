import { isSelector } from '../../../runtime/facts/selectors.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { CompiledBundle, Engine, EngineOptions } from '../../../runtime/engine/index.js';
import { FACT_ROOTS, factName, type FactRoot, getAttributes, withoutFacts } from '../../../runtime/facts/fact-names.js';
import { readSetsOfCheck, type ResourceCheck } from '../../../runtime/facts/of-check.js';
import { readSetsDigest } from '../../../runtime/facts/set-digest.js';
import type { ReadSet } from '../../../runtime/policy/index.js';
import { ReadSets } from '../facts/of-point.js';
import { PartialDecisions } from '../partial/partial-decisions.js';

/** What an entry keeps of the attributes and claims of a request (docs/audit.md#keep-only-what-decisions-read). */
export interface KeptFacts {
  /** The digest of the read sets that were kept. */
  readonly set: string;
  readonly absent: ReadonlySet<string>;
  readonly partial: ReadonlySet<string>;
  /** Facts that sources provide and that the decision did not have. */
  readonly unknown: ReadonlySet<string>;
}

/** A request as an entry keeps it. */
export interface ReducedCheck extends ResourceCheck {
  readonly resource: ResourceCheck['resource'] & { readonly id: string };
  readonly kept: KeptFacts;
}

/**
 * Decides requests of which a log keeps what other policies could read. What an entry does not keep is unknown, and is
 * never taken for missing.
 */
export class ReducedRequests {
  private readonly partial: PartialDecisions;
  /** The reads of each way to enforce schemas with which as much, or more, may have been kept as these policies read. */
  private readonly ofResponses: readonly ReadSets[];
  private readonly ofEffects: ReadSets;
  private readonly isRejecting: boolean;

  /** @param engine the engine of the policies, with the options. */
  constructor(
    program: Program,
    private readonly engine: Engine,
    guard: CompiledBundle['guard'],
    options: EngineOptions,
  ) {
    const folded = fold(program);
    const { schemaEnforcement = 'none' } = options;
    const readSets = (enforcement: 'none' | 'warn' | 'reject'): ReadSets =>
      new ReadSets(folded, { ...options, schemaEnforcement: enforcement }, false);
    this.isRejecting = schemaEnforcement === 'reject';
    this.partial = new PartialDecisions(folded, guard, options);
    this.ofEffects = readSets(schemaEnforcement);
    // With warnings, entries keep what schemas mention, and with rejections they keep the same.
    this.ofResponses = [...(this.isRejecting ? [] : [readSets('none')]), readSets('reject')];
  }

  /** Whether an entry keeps everything that these policies can read. */
  keepsAll(check: ReducedCheck): boolean {
    if (check.kept.unknown.size > 0) return false;
    return this.ofResponses.some((sets) => {
      const read = readSetsOfCheck((query) => sets.of(query), this.engine, check, 'response');
      // An entry that has lost a fact does not keep what it says.
      return readSetsDigest(read) === check.kept.set && read.every((set) => !lacksFact(set, check));
    });
  }

  /** Whether an action is allowed; the facts on which that depends if the entry does not keep them. */
  decide(check: ReducedCheck, action: string): boolean | ReadonlySet<string> {
    const { principal } = check;
    // Each actor would need its own facts.
    if (principal.actors !== undefined && principal.actors.length > 0) return new Set(['principal.actors']);
    const selectors = [...check.kept.unknown].filter(isSelector);
    if (selectors.length > 0) return new Set(selectors);
    const one = { ...check, actions: [action] };
    const sets = readSetsOfCheck((query) => this.ofEffects.of(query), this.engine, one, 'effect');
    const unknown = new Set<string>();
    for (const set of sets) for (const fact of listUnknown(set, check)) unknown.add(fact);
    const isNamed = [...unknown].every((fact) => !UNNAMED.has(fact));
    if (!isNamed) return unknown;
    const known = { ...withoutFacts(check, unknown), action };
    const allowed = (): boolean => this.engine.isAllowed(known);
    if (unknown.size === 0) return allowed();
    const roles = this.engine.tenants?.rolesFor(known).roles ?? principal.roles;
    const answer = this.partial.partial({ ...known, principal: { ...known.principal, roles } }, unknown);
    if (typeof answer !== 'boolean') return answer;
    // A schema may reject what the policies allow, and the engine must agree.
    return (answer && this.isRejecting) || allowed() !== answer ? unknown : answer;
  }
}

/** Whether an attribute that a read set names is neither in an entry nor said to be absent. */
function lacksFact({ paths }: ReadSet, check: ReducedCheck): boolean {
  const { absent } = check.kept;
  return paths.some(({ path: [part, side, name] }) => {
    const root = FACT_ROOTS.find((one) => one === `${part}.${side}`);
    if (root === undefined || name === undefined || name === '*') return false;
    const isThere = Object.hasOwn(getAttributes(root, check) ?? {}, name);
    return !isThere && !absent.has(`${root}.*`) && !absent.has(factName(root, name));
  });
}

/** What is read and has no name of its own: one value of it cannot be left open. */
const UNNAMED: ReadonlySet<string> = new Set(['principal.attr', 'resource.attr', 'auxData.jwt', 'auxData.jwts']);

/** The facts of a read set that an entry does not keep. */
export function listUnknown({ paths }: ReadSet, check: ReducedCheck): readonly string[] {
  return paths.flatMap(({ path: [part, side, name] }) => {
    if (part !== undefined && part !== 'auxData' && side !== undefined && side !== 'attr') return [];
    const roots = FACT_ROOTS.filter((root) => {
      const [ownPart, ownSide] = root.split('.');
      return (part ?? ownPart) === ownPart && (side ?? ownSide) === ownSide;
    });
    const unknown = roots.flatMap((root) => listUnknownAt(root, name === '*' ? undefined : name, check));
    const isOfTokens = (part ?? 'auxData') === 'auxData' && (side ?? 'jwts') === 'jwts';
    return isOfTokens ? [...unknown, 'auxData.jwts'] : unknown;
  });
}

/** @param name undefined for all attributes of a side. */
function listUnknownAt(root: FactRoot, name: string | undefined, check: ReducedCheck): readonly string[] {
  const { absent, partial, unknown } = check.kept;
  const isWhole = absent.has(`${root}.*`);
  const attributes = getAttributes(root, check);
  // Callers send the tokens that policies need, and these may need others.
  if (attributes === undefined) return [name === undefined ? root : factName(root, name)];
  if (name === undefined) return isWhole ? [...partial, ...unknown].filter((fact) => fact.startsWith(root)) : [root];
  const fact = factName(root, name);
  if (unknown.has(fact)) return [fact];
  const isKnown = Object.hasOwn(attributes, name) ? !partial.has(fact) : isWhole || absent.has(fact);
  return isKnown ? [] : [fact];
}
