import type { Hint } from '../../packages/cel/check/did-you-mean.js';
import { type Fix, fixOfSuggestion } from './fix.js';
import { type Code, type MessageParameters, messages, type Severity } from './messages.js';
import type { Message } from './messages/message.js';
import type { Source } from './source.js';
import type { Place, Span } from './span.js';

/** A note of a diagnostic: a suggested fix, or another location. */
export interface Note extends Hint {
  /** The text for terminals, if the message has the wording of the machine-readable report. */
  readonly shown?: string;
  readonly span?: Span;
}

/** A message to the author of a policy. Plain data; `format.ts` and `json.ts` render it. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  /** What people read instead, where the message has the words of the machine-readable report. */
  readonly shown?: string;
  /** What people are pointed to where that is only a part of the place, as the wrong word of an expression is. */
  readonly focus?: Span;
  /** The file it is about; absent for a problem of the whole set (a missing scope). */
  readonly source?: Source;
  /** Absent when nothing stands at the place (a missing field). */
  readonly place?: Place;
  readonly notes: readonly Note[];
  readonly fix?: Fix;
  /** Facts of the machine-readable report beside the message (conformance README, "compile"). */
  readonly facts: Facts;
  /** Only on the last one of a severity: how many more of that severity were found and not kept. */
  readonly omitted?: number;
}

/** The facts that only some kinds of problem have. */
export interface Facts {
  readonly policy?: string;
  readonly otherFile?: string;
  readonly descendants?: readonly string[];
  readonly scope?: string;
}

/** Where a diagnostic points: a place, or a file as a whole, or neither. */
export type Target = Place | Source | undefined;

/** What may stand beside a message. */
export interface Details {
  readonly notes?: readonly Note[];
  /**
   * Notes that take a search to find, like the nearest name: they come first, and only the first such problems of a run
   * get them.
   */
  readonly hints?: () => readonly Note[];
  /** Notes for a problem that gets no hints. */
  readonly withoutHints?: readonly Note[];
  readonly facts?: Facts;
  /** Other places with the same cause. */
  readonly others?: readonly Place[];
  readonly focus?: Span | undefined;
  /** Where it is not the replacement of a name that a note suggests. */
  readonly fix?: Fix | undefined;
  /** Where it is not that of the registry: an option may make a warning an error. */
  readonly severity?: Severity;
}

/**
 * How many errors and how many warnings of one run are kept: hostile input must not exhaust the memory, and warnings
 * must not hide the error that fails the run. The others are counted.
 */
export const MOST_KEPT = 10_000;

/** The maximum number of searches for hints in one run: the cost of a search grows with the number of names. */
export const MOST_SEARCHES = 100;

/**
 * Collects the diagnostics of the stages. A stage never throws for an author's mistake: it adds a diagnostic and
 * continues.
 */
export class Diagnostics {
  private readonly kept: { readonly [severity in Severity]: Diagnostic[] } = { error: [], warning: [] };
  private readonly omitted: { [severity in Severity]: number } = { error: 0, warning: 0 };
  private searches = 0;
  /** Whether an error was reported, kept or not. */
  hasErrors = false;

  /** Whether nothing was reported. */
  get isEmpty(): boolean {
    return this.kept.error.length + this.kept.warning.length === 0;
  }

  add<C extends Code>(code: C, target: Target, parameters: MessageParameters<C>, details: Details = {}): void {
    const entry = messages[code] as Message<MessageParameters<C>>;
    const where = locate(target);
    const notes = this.makeNotes(details, entry.advice);
    const fix = details.fix ?? suggestedFix(notes, details.focus ?? where.place?.span);
    const { others = [] } = details;
    const count = others.length === 0 ? '' : ` (in ${others.length + 1} places)`;
    this.keep({
      code,
      severity: details.severity ?? entry.severity,
      message: entry.text(parameters),
      ...((entry.shown || others.length > 0) && { shown: `${(entry.shown ?? entry.text)(parameters)}${count}` }),
      ...(details.focus && { focus: details.focus }),
      ...where,
      notes,
      ...(fix && { fix }),
      facts: details.facts ?? {},
    });
  }

  /** Adds the diagnostics of another report. */
  adopt(other: Diagnostics): void {
    for (const diagnostic of other.all()) this.keep(diagnostic);
    this.omitted.error += other.omitted.error;
    this.omitted.warning += other.omitted.warning;
  }

  /** Counts problems that were found and not kept. */
  omit(severity: Severity, count: number): void {
    this.omitted[severity] += count;
  }

  /** The files with errors. */
  get failedPaths(): ReadonlySet<string> {
    return new Set(this.kept.error.flatMap(({ source }) => source?.path ?? []));
  }

  /** The diagnostics whose places do not satisfy a condition. */
  without(isLeftOut: (place: Place) => boolean): Diagnostics {
    const rest = new Diagnostics();
    for (const diagnostic of this.all())
      if (diagnostic.place === undefined || !isLeftOut(diagnostic.place)) rest.keep(diagnostic);
    return rest;
  }

  /** All diagnostics, sorted by file, offset, code, message: the order does not depend on the order of the stages. */
  sorted(): readonly Diagnostic[] {
    const sorted = this.all().sort(inOrder);
    this.markOmitted(sorted, 'error');
    this.markOmitted(sorted, 'warning');
    return sorted;
  }

  /**
   * The result of a search, such as the nearest name; empty after too many searches. All stages of a compilation share
   * the limit.
   */
  search<T>(find: () => readonly T[]): readonly T[] {
    if (this.searches >= MOST_SEARCHES) return [];
    this.searches += 1;
    return find();
  }

  private makeNotes(
    { notes = [], hints, withoutHints = [], others = [] }: Details,
    advice: string | undefined,
  ): readonly Note[] {
    const found = hints === undefined ? [] : this.search(hints);
    const general = advice === undefined ? [] : [{ message: advice }];
    const elsewhere = others.map(({ span }) => ({ message: 'also here', span }));
    return [...(found.length > 0 ? found : withoutHints), ...notes, ...general, ...notesOfOthers(elsewhere)];
  }

  private keep(diagnostic: Diagnostic): void {
    if (diagnostic.severity === 'error') this.hasErrors = true;
    const list = this.kept[diagnostic.severity];
    if (list.length < MOST_KEPT) list.push(diagnostic);
    else this.omitted[diagnostic.severity] += 1;
  }

  private markOmitted(sorted: Diagnostic[], severity: Severity): void {
    const omitted = this.omitted[severity];
    if (omitted === 0) return;
    const last = sorted.findLastIndex((diagnostic) => diagnostic.severity === severity);
    sorted[last] = { ...(sorted[last] as Diagnostic), omitted };
  }

  private all(): Diagnostic[] {
    return [...this.kept.error, ...this.kept.warning];
  }
}

/** The first of other places with the same cause, and how many more there are. */
export function notesOfOthers(others: readonly Note[]): readonly Note[] {
  const more = others.length - MOST_OTHERS;
  const rest = more > 0 ? [{ message: `and ${more} more ${more === 1 ? 'place' : 'places'}` }] : [];
  return [...others.slice(0, MOST_OTHERS), ...rest];
}

const MOST_OTHERS = 3;

/** The order of a report: by file, offset, code and message. */
export function inOrder(a: Diagnostic, b: Diagnostic): number {
  return (
    compare(a.source?.path ?? '', b.source?.path ?? '') ||
    (a.place?.anchor ?? -1) - (b.place?.anchor ?? -1) ||
    compare(a.code, b.code) ||
    compare(a.message, b.message)
  );
}

function suggestedFix(notes: readonly Note[], whole: Span | undefined): Fix | undefined {
  const { suggestion, span = whole } = notes.find((note) => note.suggestion !== undefined) ?? {};
  return suggestion && span && fixOfSuggestion(suggestion, span);
}

function locate(target: Target): { source?: Source; place?: Place } {
  if (target === undefined) return {};
  if ('span' in target) return { source: target.span.source, place: target };
  return { source: target };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
