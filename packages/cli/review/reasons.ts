import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { DecidingRule, Explanation } from '../../../runtime/engine/parts.js';
import type { Module, Program } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { listValues, some } from '../../../compiler/ir/visit.js';
import type { DecidedRequest } from '../policies/tenants.js';
import type { ReviewedPair } from './cells.js';

/** Why somebody may do something. */
export interface Reason {
  readonly kind: 'rule' | 'derived role' | 'principal policy' | 'tenant role';
  /** The derived role or the role of a tenant, or the rule. */
  readonly name: string;
  /** `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  /** Whether the rule reads the time, so that the access may end or begin by itself. */
  readonly timed: boolean;
}

/** Explains pairs. */
export class Reasons {
  private readonly timed = new Map<string, boolean>();
  private readonly modules: ReadonlyMap<string, Module>;

  constructor(
    program: Program,
    private readonly decided: (request: AccessRequest) => DecidedRequest,
    private readonly explain: (request: AccessRequest) => Explanation,
  ) {
    this.modules = new Map(program.modules.map((module) => [module.key, module]));
  }

  /** The reasons why the principal of a pair itself may do it. */
  of({ principal, resource, action }: ReviewedPair): readonly Reason[] {
    const { request, tenantRoles } = this.decided({ principal, resource, action });
    const explanation = this.explain(request);
    return explanation.decidedBy.map((deciding) => {
      const step = explanation.steps.find(({ policy, rules }) =>
        rules.some(({ name, place }) => isSameRule(deciding, policy, name, place)),
      );
      const rule = step?.rules.find(({ name, place }) => isSameRule(deciding, step.policy, name, place));
      const ofTenant = tenantRoles.find(({ roles = [] }) => step?.role !== undefined && roles.includes(step.role));
      const isOwn = step?.role !== undefined && principal.roles.includes(step.role);
      const { rule: key, place } = deciding;
      const name = key.slice(key.indexOf('#') + 1);
      const reason = (kind: Reason['kind'], named: string): Reason => ({
        kind,
        name: named,
        rule: key,
        file: place.file,
        line: place.line,
        timed: this.isTimed(key, name),
      });
      if (ofTenant !== undefined && !isOwn) return reason('tenant role', ofTenant.role);
      if (step?.role === undefined) return reason('principal policy', name);
      return rule?.derivedRole === undefined ? reason('rule', name) : reason('derived role', rule.derivedRole.name);
    });
  }

  private isTimed(key: string, name: string): boolean {
    const known = this.timed.get(key);
    if (known !== undefined) return known;
    const module = this.modules.get(key.slice(0, key.indexOf('#')));
    const isTimed = module !== undefined && module.kind !== 'derived-roles' && this.readsTime(module, name);
    this.timed.set(key, isTimed);
    return isTimed;
  }

  private readsTime(module: Exclude<Module, { readonly kind: 'derived-roles' }>, name: string): boolean {
    for (const rule of module.rules) {
      if (rule.name !== name) continue;
      if (listValues(rule.condition).some((value) => readsTime(value, module))) return true;
      const role = 'derivedRole' in rule ? rule.derivedRole : undefined;
      const definitions = role === undefined ? undefined : this.modules.get(role.module);
      if (definitions?.kind !== 'derived-roles') continue;
      const definition = definitions.definitions.find((one) => one.name === role?.name);
      if (listValues(definition?.condition).some((value) => readsTime(value, definitions))) return true;
    }
    return false;
  }
}

function isSameRule({ rule, place }: DecidingRule, policy: string, name: string, at: DecidingRule['place']): boolean {
  return rule === `${policy}#${name}` && place.file === at.file && place.line === at.line;
}

/** Whether a value depends on the time, by itself or by a variable. */
function readsTime(value: Value, module: Module): boolean {
  return some(value, (part) => {
    if (part.kind === 'call') return part.runtime === 'now' || part.runtime === 'timeSince';
    if (part.kind !== 'variable') return false;
    const variable = module.variables.find(({ name }) => name === part.name);
    return variable !== undefined && readsTime(variable.value, module);
  });
}
