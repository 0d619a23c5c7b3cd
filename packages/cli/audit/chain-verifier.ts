import { type KeyObject, verify } from 'node:crypto';
import { visit } from 'jsonc-parser';
import { canonicalJson } from '../../../server/audit/chain/canonical-json.js';
import { hashEntry, type LinkedEntry, linkText, readLinked } from '../../../server/audit/chain/link.js';
import { identifyKey } from '../../../server/audit/chain/signer.js';
import { lineBeginning } from '../../../server/audit/file/entry-line.js';

/** What is wrong with a log. */
export type ProblemKind =
  /** An entry does not have its hash, or is not written as the server writes it. */
  | 'edited'
  /** Entries are missing. */
  | 'dropped'
  /** A line is not an entry of a chain. */
  | 'inserted'
  /** An entry comes after later ones. */
  | 'reordered'
  /** A sequence number comes twice. */
  | 'repeated'
  /** An entry does not follow the one before it. */
  | 'replaced'
  /** Entries are not covered by a valid signature. */
  | 'unsigned';

export interface Problem {
  readonly kind: ProblemKind;
  /** `file:line`, or the file; undefined: it is about the logs as a whole. */
  readonly place: string | undefined;
  readonly message: string;
}

/** An entry that a log must have. */
export interface Checkpoint {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
}

export interface VerifierOptions {
  /** Whether logs may begin after the start of a chain: older ones were deleted. */
  readonly isPartial: boolean;
  /** Whether entries may be formatted in another way: a program has read and written them. */
  readonly isReformatted: boolean;
  /** Ed25519. Empty: signatures are not looked at. */
  readonly keys: readonly KeyObject[];
  readonly checkpoints: readonly Checkpoint[];
}

/** A chain as it was found. */
export interface ChainSummary {
  readonly id: string;
  readonly entries: number;
  /** Sequence number of the first entry. */
  readonly first: number;
  /** The last entry. */
  readonly sequence: number;
  readonly hash: string;
  /** Entries that the server says it could not write, and that are missing. */
  readonly lost: number;
  /** The last entry that a signature covers; 0: none. */
  readonly signed: number;
}

export interface Verification {
  readonly chains: readonly ChainSummary[];
  readonly problems: readonly Problem[];
  /** Problems beyond the limit. */
  readonly omitted: number;
  /** Lines before the first entry of a chain: the log is older than its chain. */
  readonly unchained: number;
  /** Lines that were torn when a server was killed, each followed by the start of the next one. */
  readonly torn: number;
}

const MAX_PROBLEMS = 1000;
/** The most chains of all logs: each start of a server without a state file can make one. */
const MAX_CHAINS = 100_000;
/** The most missing ranges of a chain that are remembered, so that a late entry is recognized. */
const MAX_GAPS = 10_000;

interface Gap {
  from: number;
  to: number;
  /** Place of the entry after it. */
  readonly place: string;
}

interface Chain {
  readonly first: number;
  entries: number;
  sequence: number;
  hash: string;
  lost: number;
  signed: number;
  /** Entries since the last signed one. */
  unsigned: number;
  /** What a signed entry says about the number of entries until the next one. */
  checkpointEntries: number;
  readonly gaps: Gap[];
}

/** Verifies chains line by line, in memory that depends on the number of chains and problems alone. */
export class ChainVerifier {
  readonly #chains = new Map<string, Chain>();
  readonly #problems: Problem[] = [];
  #omitted = 0;
  #unchained = 0;
  #torn = 0;
  /** The place of a line before this one that is not JSON. */
  #unreadable: string | undefined;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #checkpoints = new Map<string, Checkpoint[]>();

  constructor(private readonly options: VerifierOptions) {
    this.#keys = new Map(options.keys.map((key) => [identifyKey(key), key]));
    for (const checkpoint of options.checkpoints) {
      const others = this.#checkpoints.get(checkpoint.id);
      if (others === undefined) this.#checkpoints.set(checkpoint.id, [checkpoint]);
      else others.push(checkpoint);
    }
  }

  /** @param text undefined: the line is too long, or the rest of an archive is damaged. */
  add(text: string | undefined, place: string): void {
    const linked = text === undefined ? undefined : this.#read(text, place);
    if (linked === 'unreadable') {
      this.#settleUnreadable(undefined);
      this.#unreadable = place;
      return;
    }
    this.#settleUnreadable(linked);
    if (text === undefined || linked === undefined) {
      this.#addUnlinked(text, place);
      return;
    }
    const isWhole = this.#checkContent(text, linked, place);
    this.#follow(linked, isWhole, place);
  }

  end(): Verification {
    this.#settleUnreadable(undefined);
    for (const [id, chain] of this.#chains) {
      for (const gap of chain.gaps) this.#reportGap(id, chain, gap);
      if (this.#keys.size > 0 && chain.signed === 0)
        this.#report('unsigned', undefined, `chain ${id} has no entry with a valid signature`);
    }
    for (const { id, sequence } of this.#expected()) {
      const last = this.#chains.get(id)?.sequence;
      const found = last === undefined ? 'the chain is missing' : `its last entry is ${last}`;
      this.#report('dropped', undefined, `chain ${id} must have entry ${sequence}, and ${found}`);
    }
    if (this.#chains.size === 0) this.#report('unsigned', undefined, 'there is no entry of a chain');
    const chains = [...this.#chains].map(([id, chain]) => summarizeChain(id, chain));
    return {
      chains,
      problems: this.#problems,
      omitted: this.#omitted,
      unchained: this.#unchained,
      torn: this.#torn,
    };
  }

  /** Checkpoints that no entry was compared with. */
  #expected(): readonly Checkpoint[] {
    return [...this.#checkpoints.values()].flat();
  }

  #read(text: string, place: string): LinkedEntry | 'unreadable' | undefined {
    try {
      return readLinked(text);
    } catch (error) {
      if (error instanceof SyntaxError) return 'unreadable';
      // The nesting exceeds the stack.
      this.#report('inserted', place, `the line cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** A server that was killed leaves part of a line, and its next start follows. Nothing is missing then. */
  #settleUnreadable(next: LinkedEntry | undefined): void {
    const place = this.#unreadable;
    this.#unreadable = undefined;
    if (place === undefined) return;
    const chain = next === undefined ? undefined : this.#chains.get(next.place.id);
    const isStart = next?.entry['event'] === 'start' || next?.entry['event'] === 'lost';
    if (isStart && chain !== undefined && isFollowing(chain, next as LinkedEntry)) this.#torn += 1;
    else this.#report('inserted', place, 'the line is not JSON');
  }

  #addUnlinked(text: string | undefined, place: string): void {
    if (text !== undefined && this.#chains.size === 0) this.#unchained += 1;
    else if (text === undefined) this.#report('inserted', place, 'the line is too long, or the archive is damaged');
    else this.#report('inserted', place, 'the line is not an entry of a chain');
  }

  /** Whether the content has its hash and its form. */
  #checkContent(text: string, { place: at, hash, entry, content }: LinkedEntry, place: string): boolean {
    if (hashEntry(at, content) !== hash) {
      this.#report('edited', place, `entry ${at.sequence} does not have its hash`);
      return false;
    }
    const kind = findKind(entry);
    const link = canonicalJson({ ...at, sequence: String(at.sequence), hash });
    const members = `"chain":${link},${content.slice(1)}`;
    if (text === `${lineBeginning(kind)}${members}` || text === `{${members}`) return true;
    if (this.options.isReformatted && !repeatsMember(text) && hasKind(text, kind)) return true;
    const why = this.options.isReformatted
      ? 'repeats a member or has another kind'
      : 'is not written as a server writes it';
    this.#report('edited', place, `entry ${at.sequence} has its hash but ${why}`);
    return false;
  }

  #follow(linked: LinkedEntry, isWhole: boolean, place: string): void {
    const { id, sequence, previous } = linked.place;
    const chain = this.#chains.get(id) ?? (isWhole ? this.#begin(linked) : undefined);
    if (chain === undefined) return;
    const expected = chain.sequence + 1;
    if (sequence < expected) {
      this.#addLate(id, chain, sequence, place);
      return;
    }
    // An edited sequence number must not make all entries up to it count as missing.
    if (!isWhole && sequence > expected) return;
    if (isWhole && sequence === expected && previous !== chain.hash)
      this.#report('replaced', place, `entry ${sequence} does not follow the entry before it: one of them was changed`);
    if (sequence > expected) this.#addGap(id, chain, { from: expected, to: sequence - 1, place });
    if (isWhole) this.#addLost(chain, linked, expected, place);
    chain.sequence = sequence;
    chain.hash = linked.hash;
    chain.entries += 1;
    this.#compare(linked, place);
    if (this.#keys.size > 0) this.#checkSignature(chain, linked, isWhole, place);
  }

  #begin({ place: { id, sequence, previous } }: LinkedEntry): Chain {
    if (this.#chains.size >= MAX_CHAINS) throw new Error(`the logs have more than ${MAX_CHAINS} chains`);
    const chain: Chain = {
      first: sequence,
      entries: 0,
      sequence: this.options.isPartial ? sequence - 1 : 0,
      hash: this.options.isPartial ? previous : '',
      lost: 0,
      signed: 0,
      unsigned: 0,
      checkpointEntries: Number.POSITIVE_INFINITY,
      gaps: [],
    };
    this.#chains.set(id, chain);
    return chain;
  }

  #addLate(id: string, chain: Chain, sequence: number, place: string): void {
    const index = chain.gaps.findIndex(({ from, to }) => from <= sequence && sequence <= to);
    if (index < 0) {
      this.#report('repeated', place, `entry ${sequence} of chain ${id} was there before`);
      return;
    }
    chain.entries += 1;
    this.#report('reordered', place, `entry ${sequence} comes after entry ${chain.sequence}`);
    const { from, to, place: after } = chain.gaps[index] as Gap;
    const rest = [
      { from, to: sequence - 1, place: after },
      { from: sequence + 1, to, place: after },
    ].filter((gap) => gap.from <= gap.to);
    chain.gaps.splice(index, 1, ...rest);
  }

  #addGap(id: string, chain: Chain, gap: Gap): void {
    if (chain.gaps.length < MAX_GAPS) chain.gaps.push(gap);
    else this.#reportGap(id, chain, gap);
  }

  #reportGap(id: string, chain: Chain, { from, to, place }: Gap): void {
    const range = from === to ? `entry ${from} of chain ${id} is` : `entries ${from} to ${to} of chain ${id} are`;
    const hint = from === 1 && chain.first === to + 1 ? '; if older logs were deleted, use `--partial`' : '';
    this.#report('dropped', place, `${range} missing before this one${hint}`);
  }

  /** Takes out of what is missing the entries that the server says it lost. */
  #addLost(chain: Chain, { entry, place: { sequence } }: LinkedEntry, expected: number, place: string): void {
    const lost = entry['event'] === 'lost' ? readLost(entry['lost']) : undefined;
    if (lost === undefined) return;
    if (lost.to !== sequence - 1 || (lost.from === expected && lost.after !== chain.hash && chain.sequence > 0)) {
      this.#report('replaced', place, `entry ${sequence} does not tell of the entries before it`);
      return;
    }
    const kept: Gap[] = [];
    for (const gap of chain.gaps) {
      if (gap.to < lost.from) kept.push(gap);
      else {
        chain.lost += gap.to - Math.max(gap.from, lost.from) + 1;
        if (gap.from < lost.from) kept.push({ ...gap, to: lost.from - 1 });
      }
    }
    chain.gaps.splice(0, chain.gaps.length, ...kept);
  }

  #compare({ place: { id, sequence }, hash }: LinkedEntry, place: string): void {
    const expected = this.#checkpoints.get(id);
    if (expected === undefined) return;
    const left = expected.filter((checkpoint) => checkpoint.sequence !== sequence);
    if (left.length === expected.length) return;
    this.#checkpoints.set(id, left);
    if (expected.some((checkpoint) => checkpoint.sequence === sequence && checkpoint.hash !== hash))
      this.#report('replaced', place, `entry ${sequence} of chain ${id} has another hash than the checkpoint`);
  }

  #checkSignature(chain: Chain, linked: LinkedEntry, isWhole: boolean, place: string): void {
    const { sequence } = linked.place;
    if (findKind(linked.entry) !== 'chain') {
      chain.unsigned += 1;
      if (chain.unsigned === chain.checkpointEntries + 1)
        this.#report('unsigned', place, `more than ${chain.checkpointEntries} entries follow the last signed one`);
      return;
    }
    if (!isWhole || !this.#isSigned(linked)) {
      this.#report('unsigned', place, `entry ${sequence} does not have a valid signature of a given key`);
      return;
    }
    chain.signed = sequence;
    chain.unsigned = 0;
    chain.checkpointEntries = Number(linked.entry['checkpointEntries']);
  }

  #isSigned({ place, entry: { signature, ...signed } }: LinkedEntry): boolean {
    const key = this.#keys.get(String(signed['keyId']));
    if (key === undefined || typeof signature !== 'string') return false;
    return verify(null, Buffer.from(linkText(place, canonicalJson(signed))), key, Buffer.from(signature, 'base64'));
  }

  #report(kind: ProblemKind, place: string | undefined, message: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ kind, place, message });
    else this.#omitted += 1;
  }
}

function summarizeChain(id: string, { entries, first, sequence, hash, lost, signed }: Chain): ChainSummary {
  return { id, entries, first, sequence, hash, lost, signed };
}

function isFollowing({ sequence, hash }: Chain, { place, entry }: LinkedEntry): boolean {
  if (place.sequence === sequence + 1) return place.previous === hash;
  return readLost(entry['lost'])?.from === sequence + 1;
}

function findKind(entry: LinkedEntry['entry']): 'access' | 'decision' | 'chain' {
  if (Object.hasOwn(entry, 'event')) return 'chain';
  return Object.hasOwn(entry, 'auditTrail') ? 'decision' : 'access';
}

function hasKind(text: string, kind: string): boolean {
  const { 'log.kind': stated = kind } = JSON.parse(text) as { readonly 'log.kind'?: unknown };
  return stated === kind;
}

/** Whether an object has a member twice: readers do not agree on which of them counts. */
function repeatsMember(text: string): boolean {
  const objects: Set<string>[] = [];
  let repeats = false;
  visit(text, {
    onObjectBegin: () => {
      objects.push(new Set());
    },
    onObjectEnd: () => {
      objects.pop();
    },
    onObjectProperty: (name) => {
      const seen = objects.at(-1) as Set<string>;
      repeats ||= seen.has(name);
      seen.add(name);
    },
  });
  return repeats;
}

function readLost(value: unknown): { readonly from: number; readonly to: number; readonly after: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { from, to, after } = value as { readonly [member: string]: unknown };
  const range = { from: Number(from), to: Number(to), after: String(after) };
  return Number.isSafeInteger(range.from) && Number.isSafeInteger(range.to) ? range : undefined;
}
