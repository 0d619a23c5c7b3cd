import type { AccessRequest } from '../../../runtime/engine/index.js';
import { type Attributes, matchesAny, sanitize } from '../../../runtime/policy/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { RuleRecord } from '../../analysis/coverage/rule-record.js';
import type { Origin } from '../../analysis/program/bundle.js';
import { schemaExample } from '../../analysis/witness/schema-example.js';

/** The names that requests may have. */
export interface RequestNames {
  /** Undefined if any name is allowed. */
  readonly roles: readonly string[] | undefined;
  readonly actions: readonly string[] | undefined;
}

/**
 * Requests that reach a rule, for each of its roles and actions: without attributes, and with those that tests have.
 * Names that no test of the rule has come first.
 *
 * @param seeds what tests ask.
 */
export function makeStarts(
  record: RuleRecord,
  program: ir.Program,
  seeds: readonly AccessRequest[],
  allowed: RequestNames,
): readonly AccessRequest[] {
  const unmatched = new Set(
    record.coverage().names.flatMap(({ kind, text, matched }) => (matched === 0 ? `${kind} ${text}` : [])),
  );
  const isNew = (kind: 'action' | 'role', text: string): number => (unmatched.has(`${kind} ${text}`) ? 0 : 1);
  const reached = reachedRules(record, program).flatMap(({ module, rule }) => {
    const { actions, roles } = listNames(module, rule);
    return actions.flatMap((action) =>
      roles.map((role) => ({ module, rule, action, role, order: isNew('action', action) + isNew('role', role) })),
    );
  });
  return reached
    .sort((a, b) => a.order - b.order)
    .slice(0, MOST_STARTS)
    .flatMap(({ module, rule, action: actionText, role: roleText }) => {
      const kindText = chooseKind(module, rule);
      const action = chooseExample(actionText, allowed.actions, listActions(program));
      const role = chooseExample(roleText, allowed.roles, listRoles(program));
      const kind = chooseExample(kindText, undefined, listKinds(program));
      if (action === undefined || role === undefined || kind === undefined) return [];
      const at = makePlace(module);
      const own = seeds.filter(({ resource }) => resource.kind === kind).slice(0, MOST_SEEDS);
      const id = module.kind === 'principal' ? module.principal : 'alice';
      const attributes = requiredAttributes(kind, program);
      const bare: AccessRequest = {
        principal: { id, roles: [role], attr: attributes.principal },
        resource: { kind, id: 'r1', attr: attributes.resource },
        action,
      };
      return [
        bare,
        ...own.map((seed) => withNames(seed, module.kind === 'principal' ? id : undefined, role, action)),
      ].map(({ principal, resource, ...rest }) => ({
        ...rest,
        principal: { ...principal, ...(module.kind === 'principal' ? at : {}) },
        resource: { ...resource, ...at },
      }));
    });
}

/** What the schemas of a kind require. */
function requiredAttributes(
  kind: string,
  { modules, schemas }: ir.Program,
): { readonly principal: Attributes; readonly resource: Attributes } {
  const policy = modules.find((module) => module.kind === 'resource' && module.kindName === sanitize(kind));
  const exampleFor = (schema: ir.Schema | undefined): Attributes => {
    if (schema === undefined || 'unavailable' in schema.validator) return {};
    const example = schemaExample(schema.validator, schemas);
    return typeof example === 'object' && example !== null && !Array.isArray(example) ? (example as Attributes) : {};
  };
  const own = policy?.kind === 'resource' ? policy.schemas : undefined;
  return { principal: exampleFor(own?.principal), resource: exampleFor(own?.resource) };
}

const MOST_STARTS = 12;
const MOST_SEEDS = 4;

function withNames(seed: AccessRequest, id: string | undefined, role: string, action: string): AccessRequest {
  const { principal, resource, auxData } = seed;
  return {
    principal: { id: id ?? principal.id, roles: [role], attr: principal.attr },
    resource: { kind: resource.kind, id: resource.id, attr: resource.attr },
    ...(auxData === undefined ? {} : { auxData }),
    action,
  };
}

/** A rule that requests reach. */
interface ReachedRule {
  readonly module: ir.ResourceModule | ir.PrincipalModule | ir.RoleModule;
  readonly rule: ir.Rule | ir.RoleRule;
}

/** A derived role is reached by the rules that name it. */
function reachedRules({ origins }: RuleRecord, { modules }: ir.Program): readonly ReachedRule[] {
  return [...origins].flatMap(({ module, rule }: Origin): readonly ReachedRule[] => {
    if (module.kind !== 'derived-roles') return [{ module, rule: rule as ir.Rule }];
    return modules.flatMap((other) =>
      other.kind === 'resource'
        ? other.rules
            .filter(({ derivedRole }) => derivedRole?.module === module.key && derivedRole.name === rule.name)
            .map((own) => ({ module: other, rule: own }))
        : [],
    );
  });
}

function listNames(
  module: ReachedRule['module'],
  rule: ReachedRule['rule'],
): { readonly actions: readonly string[]; readonly roles: readonly string[] } {
  if ('allowActions' in rule) return { actions: rule.allowActions, roles: module.kind === 'role' ? [module.role] : [] };
  return { actions: rule.actions, roles: module.kind === 'principal' ? ['*'] : rule.roles };
}

function chooseKind(module: ReachedRule['module'], rule: ReachedRule['rule']): string {
  return module.kind === 'resource' ? module.resource : (rule.resource ?? '*');
}

/** The version and the scope of a policy, where they are not the default. */
function makePlace({ version, scope }: ReachedRule['module']): {
  readonly policyVersion?: string;
  readonly scope?: string;
} {
  return {
    ...(version === 'default' ? {} : { policyVersion: version }),
    ...(scope === '' ? {} : { scope }),
  };
}

/**
 * A name that a pattern matches: itself, one that policies have, or a made-up one. Undefined if none is allowed.
 */
function chooseExample(
  pattern: string,
  allowed: readonly string[] | undefined,
  known: readonly string[],
): string | undefined {
  const names = [
    ...(pattern.includes('*') ? [] : [pattern]),
    ...(allowed ?? known),
    pattern.replaceAll(/\*+/g, 'any'),
    pattern.replaceAll(/\*+/g, ''),
  ];
  const matches = matchesAny(pattern);
  return names.find((name) => name !== '' && matches(name) && (allowed?.includes(name) ?? true));
}

function listRoles({ modules }: ir.Program): readonly string[] {
  return literals(
    modules.flatMap((module) => {
      if (module.kind === 'role') return [module.role];
      return module.kind === 'resource' ? module.rules.flatMap(({ roles }) => roles) : [];
    }),
    'user',
  );
}

function listActions({ modules }: ir.Program): readonly string[] {
  return literals(
    modules.flatMap((module) =>
      module.kind === 'resource' || module.kind === 'principal' ? module.rules.flatMap(({ actions }) => actions) : [],
    ),
    'view',
  );
}

function listKinds({ modules }: ir.Program): readonly string[] {
  return literals(
    modules.flatMap((module) => (module.kind === 'resource' ? [module.resource] : [])),
    'document',
  );
}

function literals(names: readonly string[], fallback: string): readonly string[] {
  return [...new Set([...names.filter((name) => !name.includes('*')), fallback])];
}
