import { makePolicyKey } from '../ast/names.js';
import { placeOfDocument } from '../ast/places.js';
import { listPremises } from '../ast/premises.js';
import type { LinkedInvariants, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import type { Condition, Output, PolicyFile } from '../ast/policy.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Code } from '../diagnostics/messages.js';
import { onceByCause, type Problems, withoutRepeats } from '../diagnostics/problems.js';
import { linkBindings } from './bindings.js';
import { type Catalogue, makeCatalogue, type Document, type FileOf, hasKind } from './catalogue.js';
import { linkDerivedRoles, RoleSets } from './derived-roles.js';
import { linkCondition, linkOutput, type Names } from './expressions.js';
import { listImports, reportMissingImports } from './imports.js';
import { reportMissingParentRoles, reportParentRoles } from './parent-roles.js';
import { reportMissingScopes, reportScopePermissions, withoutDeepScopes } from './scopes.js';

/**
 * Resolves every name across the files of a set: imports, scope chains, derived roles, variables and constants
 * (docs/spec/policy-language.md#compilation-phases, phases 5 and 6). If there are
 * problems in files or in the set as a whole, the set is partial: names are reported only where none can be missing for
 * another reason.
 *
 * @param files the files that parsed, disabled ones included.
 * @param rests what is left of the others.
 */
export function link(files: readonly PolicyFile[], report: Diagnostics, rests: readonly Rest[] = []): PolicySet {
  const catalogue = makeCatalogue(
    withoutDeepScopes(
      files.filter((file) => !file.disabled),
      report,
    ),
    report,
  );
  for (const examine of SET_RULES) examine(catalogue, report);
  if (report.hasErrors) {
    reportDisabled(files, report);
    return linkPartially(catalogue, report, rests);
  }
  return onceByCause(
    withoutRepeats(report),
    (problems) => ({
      policies: linkPolicies(catalogue, problems),
      documents: catalogue.documents.map(({ file }) => file),
      invariants: linkInvariants(catalogue, problems),
    }),
    UNDEFINED,
  );
}

/** Problems with a name, which conditions may repeat. */
const UNDEFINED: ReadonlySet<Code> = new Set(['constant/undefined', 'variable/undefined']);

/** A policy without the parts that have mistakes, and whether definitions or imports may be among these. */
export interface Rest {
  readonly file: PolicyFile;
  readonly lacksNames: boolean;
}

/**
 * Links what there is of a set with problems, so that files with problems report those of all stages together. Other
 * files wait (docs/spec/policy-language.md#compilation-phases).
 */
function linkPartially(known: Catalogue, report: Diagnostics, rests: readonly Rest[]): PolicySet {
  const unsure = new Set(rests.flatMap(({ file, lacksNames }) => (lacksNames ? file : [])));
  const files = [...known.documents.map(({ file }) => file), ...rests.map(({ file }) => file)];
  const catalogue = makeCatalogue(files, new Diagnostics());
  const failed = report.failedPaths;
  const isSure = (file: PolicyFile): boolean =>
    !unsure.has(file) &&
    listImports(file).every(({ key }) => {
      const imported = catalogue.find(key);
      return imported !== undefined && !unsure.has(imported);
    });
  const isJudged = ({ source }: PolicyFile): boolean => failed.has(source.path);
  const policies = onceByCause(
    withoutRepeats(report),
    (problems) => [
      ...linkPolicies(catalogue, problems, (file) => isJudged(file) && isSure(file)),
      ...linkPolicies(catalogue, { add: () => undefined }, (file) => isJudged(file) && !isSure(file)),
    ],
    UNDEFINED,
  );
  return { policies, documents: [], invariants: [], isPartial: true };
}

/**
 * The rules for the set as a whole (docs/spec/policy-language.md#rules-for-the-whole-set). The order does not matter.
 */
const SET_RULES: readonly ((catalogue: Catalogue, report: Diagnostics) => void)[] = [
  reportMissingImports,
  reportMissingScopes,
  reportScopePermissions,
  reportParentRoles,
  reportMissingParentRoles,
];

/**
 * Lists disabled documents next to real problems, because they may be the cause (docs/spec/policy-language.md#reports).
 */
function reportDisabled(files: readonly PolicyFile[], report: Diagnostics): void {
  for (const file of files.filter(({ disabled }) => disabled)) {
    const policy = makePolicyKey(file.policy);
    report.add(
      'policy/disabled',
      placeOfDocument(file),
      { policy },
      { notes: [{ message: 'remove `disabled: true`, or remove what still needs the document' }], facts: { policy } },
    );
  }
}

/**
 * Links every executable policy with its imports (docs/spec/policy-language.md#documents,
 * docs/spec/policy-language.md#compile-errors). Sorted by key.
 */
function linkPolicies(
  catalogue: Catalogue,
  problems: Problems,
  isChosen: (file: PolicyFile) => boolean = () => true,
): readonly LinkedPolicy[] {
  const context = { catalogue, problems, roleSets: new RoleSets(catalogue, problems) };
  const chosen = catalogue.documents.filter(({ file }) => isChosen(file));
  const policies = chosen.flatMap((document) => linkPolicy(document, context));
  return policies.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function linkInvariants(catalogue: Catalogue, problems: Problems): readonly LinkedInvariants[] {
  const linked = catalogue.documents.flatMap(({ key, file }): readonly LinkedInvariants[] => {
    if (!hasKind(file, 'invariants')) return [];
    const bindings = linkBindings(file, catalogue, problems);
    for (const condition of listPremises(file.policy)) linkCondition(condition, { ...bindings, catalogue }, problems);
    return [{ kind: 'invariants', key, file, policy: file.policy, bindings }];
  });
  return linked.sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface Context {
  readonly catalogue: Catalogue;
  readonly problems: Problems;
  readonly roleSets: RoleSets;
}

function linkPolicy({ key, file }: Document, context: Context): readonly LinkedPolicy[] {
  const { catalogue, problems } = context;
  if (hasKind(file, 'resource')) return [linkResourcePolicy(key, file, context)];
  if (hasKind(file, 'principal')) {
    const bindings = linkBindings(file, catalogue, problems);
    for (const rule of file.policy.rules) linkRules(rule.actions, { ...bindings, catalogue }, problems);
    return [{ kind: 'principal', key, file, policy: file.policy, bindings }];
  }
  if (hasKind(file, 'role')) {
    const bindings = linkBindings(file, catalogue, problems);
    linkRules(file.policy.rules, { ...bindings, catalogue }, problems);
    return [{ kind: 'role', key, file, policy: file.policy, bindings }];
  }
  return [];
}

function linkResourcePolicy(
  key: string,
  file: FileOf<'resource'>,
  { catalogue, problems, roleSets }: Context,
): LinkedPolicy {
  const { policy } = file;
  const { all: importedRoles, named: derivedRoles } = linkDerivedRoles(file, roleSets, problems);
  const bindings = linkBindings(file, catalogue, problems);
  linkRules(policy.rules, { ...bindings, catalogue }, problems);
  return { kind: 'resource', key, file, policy, bindings, importedRoles, derivedRoles };
}

/** The fields that all kinds of rules have. */
interface Rule {
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function linkRules(rules: readonly Rule[], names: Names, problems: Problems): void {
  for (const rule of rules) {
    linkCondition(rule.condition, names, problems);
    linkOutput(rule.output, names, problems);
  }
}
