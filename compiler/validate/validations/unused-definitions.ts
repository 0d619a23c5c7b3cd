import type { Types } from '../../ast/checked.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { usingDocumentsOf } from '../using-documents.js';

/**
 * Warns of variables and constants a document defines for itself and comes to use nowhere
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export function warnOfUnusedDefinitions(policies: PolicySet, _types: Types, report: Problems): void {
  for (const { file, variables, constants, uses } of usingDocumentsOf(policies)) {
    for (const { name } of [...variables.local, ...file.legacyVariables]) {
      if (uses.variable(name.value)) continue;
      report.add(
        'variable/unused',
        name.place,
        { name: name.value },
        { notes: [{ message: `remove it, or use it as \`V.${name.value}\`` }] },
      );
    }
    for (const { name } of constants.local) {
      if (uses.constant(name.value)) continue;
      report.add(
        'constant/unused',
        name.place,
        { name: name.value },
        { notes: [{ message: `remove it, or use it as \`C.${name.value}\`` }] },
      );
    }
  }
}
