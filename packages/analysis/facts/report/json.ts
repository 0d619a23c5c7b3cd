import { pathText } from '../../../../runtime/facts/paths.js';
import type { ReadLevel, ReadPath, ReadSet } from '../../../../runtime/policy/index.js';
import type { TableHeading } from '../../matrix/matrix.js';
import type { FactsReport } from '../facts-report.js';

/** What decisions can read of a request, as plain data: what `authzc facts -o json` prints. */
export interface ReadSetReport {
  readonly level: ReadLevel;
  /** One for each kind, version and scope. */
  readonly tables: readonly ReadSetTable[];
}

/** What decisions about a kind can read. */
export interface ReadSetTable extends TableHeading {
  /** An action or a role that is not listed is denied. */
  readonly decisions: readonly ReadSetOfDecision[];
}

/** What the decision about an action, for principals with a role, can read. */
export interface ReadSetOfDecision {
  readonly action: string;
  readonly role: string | undefined;
  /** `leaf` says what is read: the value, its shape (length or keys), or whether it exists. */
  readonly paths: readonly (Pick<ReadPath, 'leaf' | 'lines'> & { readonly path: string })[];
  /** The attributes and claims to which the paths lead. */
  readonly facts: readonly string[];
  /** Whether it depends on the time. */
  readonly now: boolean;
  /** The sides that it reads as a whole. */
  readonly whole: readonly string[];
}

/** A report as plain data. */
export function factsJson({ level, tables }: FactsReport): ReadSetReport {
  return {
    level,
    tables: tables.map(({ roles, rows, ...heading }) => ({
      ...heading,
      decisions: rows.flatMap(({ action, sets }) =>
        sets.map((set, index) => ({ action: action.label, role: roles[index]?.label, ...setJson(set) })),
      ),
    })),
  };
}

function setJson({ paths, facts, now, whole }: ReadSet): Omit<ReadSetOfDecision, 'action' | 'role'> {
  return {
    paths: paths.map(({ path, leaf, lines }) => ({ path: pathText(path), leaf, lines })),
    facts: [...facts],
    now,
    whole,
  };
}
