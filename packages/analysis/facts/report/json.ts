import { pathText } from '../../../../runtime/facts/paths.js';
import type { ReadSet } from '../../../../runtime/policy/index.js';
import type { FactsReport } from '../facts-report.js';

/** A report as plain data. */
export function factsJson({ level, tables }: FactsReport): object {
  return {
    level,
    tables: tables.map(({ kind, isNamedKind, version, scope, isNamedScope, isComplete, roles, rows }) => ({
      kind,
      isNamedKind,
      version,
      scope,
      isNamedScope,
      isComplete,
      decisions: rows.flatMap(({ action, sets }) =>
        sets.map((set, index) => ({ action: action.label, role: roles[index]?.label, ...setJson(set) })),
      ),
    })),
  };
}

function setJson({ paths, facts, now, whole }: ReadSet): object {
  return {
    paths: paths.map(({ path, leaf, lines }) => ({ path: pathText(path), leaf, lines })),
    facts: [...facts],
    now,
    whole,
  };
}
