import type { Point } from '../question/point.js';
import { pointsOfEveryone } from '../decision/points.js';
import type { Decisions } from '../decision/decisions.js';
import type { Reading, Subject } from './subject.js';

/** The points of policies, and what selects and narrows them. */
interface PolicyPoints {
  readonly decisions: Decisions;
  readonly points: readonly Point[];
  readonly reading: Reading;
  readonly isWantedAt: (point: Point) => boolean;
}

/**
 * The points that a statement is about and at which policies can allow something. A kind that only globs of principal
 * policies match is looked at by itself.
 */
export function pointsAbout(
  subject: Subject,
  { points, decisions }: Pick<PolicyPoints, 'points' | 'decisions'>,
): readonly Point[] {
  const about = points.filter((point) => subject.isAbout(point));
  const { kind } = subject;
  if (kind === undefined || points.some((point) => point.kind === kind)) return about;
  const others = points
    .filter(({ isNamedKind }) => !isNamedKind)
    .map((point): Point => ({ ...point, kind, isNamedKind: true }))
    .filter((point) => subject.isAbout(point) && decisions.at(point, []).canAllow);
  return unique(others);
}

/**
 * The other points that a statement is about: no policy can allow anything there, so everyone is denied. None if
 * policies can allow nothing that it is about.
 */
export function pointsWithoutPolicies(
  subject: Subject,
  about: readonly Point[],
  { decisions, reading, isWantedAt }: Omit<PolicyPoints, 'points'>,
): readonly Point[] {
  if (about.length === 0) return [];
  const known = new Set(about.map(identifyPoint));
  const { lenientScopeSearch = false } = reading.selecting;
  const points = pointsOfEveryone(
    decisions,
    lenientScopeSearch,
    subject.kinds,
    (point) => subject.isAbout(point) && isWantedAt(point) && !known.has(identifyPoint(point)),
  );
  // The first one is shown: kinds that look usual come first.
  const isOdd = ({ kind }: Point): number => Number(/[^\w.]/.test(kind));
  return [...points].sort((a, b) => isOdd(a) - isOdd(b));
}

function unique(points: readonly Point[]): readonly Point[] {
  return [...new Map(points.map((point) => [identifyPoint(point), point])).values()];
}

function identifyPoint({ kind, version, scope, principal }: Point): string {
  return JSON.stringify([kind, version, scope, principal]);
}
