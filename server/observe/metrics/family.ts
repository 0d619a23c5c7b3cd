/**
 * All metrics of a process at a moment, as plain JSON: workers send it to the primary process. Families in the order in
 * which they are printed.
 */
export type Snapshot = readonly Family[];

/** A metric of Prometheus: its series share name, help and label names. */
export type Family = ScalarFamily | HistogramFamily;

export interface ScalarFamily extends FamilyHead {
  readonly type: 'counter' | 'gauge';
  readonly series: readonly ScalarSeries[];
}

export interface HistogramFamily extends FamilyHead {
  readonly type: 'histogram';
  /** Upper bounds, ascending; the bucket of all that is greater is not among them. */
  readonly bounds: readonly number[];
  readonly series: readonly HistogramSeries[];
}

interface FamilyHead {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** What the series of several processes make together. */
  readonly across: Aggregate;
}

/** How the values of workers become one. `omit`: the value means nothing for several processes. */
export type Aggregate = 'sum' | 'max' | 'min' | 'average' | 'first' | 'omit';

export interface ScalarSeries {
  /** Values of the family's labels, in their order. */
  readonly labels: readonly string[];
  readonly value: number;
}

export interface HistogramSeries {
  readonly labels: readonly string[];
  /** One for each bound, and one for what is greater; not cumulated. */
  readonly counts: readonly number[];
  readonly sum: number;
}
