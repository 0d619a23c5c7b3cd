import type {
  EnginePart,
  PrincipalInput,
  SubjectPlan,
  SubjectPlanRequest,
  SubjectProblem,
} from '../../../runtime/engine/index.js';
import { requestedScope, requireAccess } from '../../../runtime/engine/parts.js';
import { filterOf, type Filter, type Operand } from '../../../runtime/residual/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import { noClasses } from '../decision/classes.js';
import { Decisions } from '../decision/decisions.js';
import type { FilePlace } from '../../../runtime/engine/parts.js';
import { NotPlanned, type PlannedRule, subjectCondition, type SubjectSettings } from './condition.js';
import { SubjectQuery } from './subject-query.js';

/** An engine as a part sees it. */
type Engine = Parameters<EnginePart>[0];

/**
 * The part of an engine that plans which principals may do something: `engine.planSubjects`. It needs the program of the
 * policies, as it combines their rules for a principal that is not known.
 *
 * @param program with folded literals: that of the bundle of the engine.
 */
export function subjectPlans(program: Program): EnginePart {
  return (engine) => {
    const { settings } = engine;
    const decisions = new Decisions(program, settings);
    const shared = { enforcesSchemas: settings.schemaEnforcement === 'reject', classes: noClasses() };
    engine.planSubjects = (request) => {
      requireAccess(request.resource, request.action);
      return engine.asOne(() => planSubjects(engine, decisions, shared, request));
    };
  };
}

function planSubjects(
  engine: Engine,
  decisions: Decisions,
  shared: SubjectSettings,
  request: SubjectPlanRequest,
): SubjectPlan {
  const { settings } = engine;
  const { resource, action, auxData, actors = [], principal: { scope = '', policyVersion = '' } = {} } = request;
  if (settings.traced !== undefined)
    return refused('in strict evaluation, the order of rules and their failures decide as well');
  for (const actor of actors) {
    // The policies decide about an actor as about any principal, and it is known.
    if (!engine.isAllowed({ principal: omitActors(actor), resource, action, auxData, tenants: request.tenants }))
      return planned(NOBODY);
  }
  const given = engine.tenants?.givenRoles({ scope, resource, action, tenants: request.tenants });
  const place = {
    kind: resource.kind,
    version: resource.policyVersion || settings.defaultPolicyVersion,
    scope: requestedScope(resource.scope, settings.defaultScope),
    principal: {
      scope: requestedScope(scope, settings.defaultScope),
      version: policyVersion || settings.defaultPolicyVersion,
    },
    tenants: given,
  };
  const query = new SubjectQuery({
    resource,
    auxData,
    principal: { scope, policyVersion },
    globals: settings.globals,
    clock: settings.clock,
  });
  try {
    const { condition, rules } = subjectCondition(decisions, place, action, query, shared);
    return planned(aboutPrincipals(filterOf(condition)), () =>
      rules.map(({ policy, rule, place: at, condition: own }) => ({
        policy,
        rule,
        place: placeText(at),
        filter: aboutPrincipals(filterOf(own)),
      })),
    );
  } catch (error) {
    if (error instanceof NotPlanned) return refused(error.message, error.rule);
    throw error;
  }
}

const NOBODY: Filter = { kind: 'KIND_ALWAYS_DENIED' };

function planned(
  filter: Filter,
  rules: Extract<SubjectPlan, { readonly kind: 'planned' }>['rules'] = () => [],
): SubjectPlan {
  return { kind: 'planned', filter, rules };
}

function refused(reason: string, rule?: PlannedRule): SubjectPlan {
  const problem: SubjectProblem = {
    operator: 'policy',
    reason,
    part: '',
    ...(rule !== undefined && { policy: rule.policy, rule: rule.rule, place: placeText(rule.place) }),
  };
  return { kind: 'refused', problems: [problem] };
}

function placeText({ file, line }: FilePlace): string {
  return `${file}:${line}`;
}

function omitActors({ id, roles, attr, policyVersion, scope }: PrincipalInput): PrincipalInput {
  return { id, roles, attr, policyVersion, scope };
}

/** A filter whose variables are those of principals: the schema of principals reads its attributes as those of a row. */
function aboutPrincipals(filter: Filter): Filter {
  return filter.kind === 'KIND_CONDITIONAL' ? { ...filter, condition: renamed(filter.condition) } : filter;
}

const ROW = 'request.resource.';
const PRINCIPAL = 'request.principal.';

function renamed(operand: Operand): Operand {
  if ('value' in operand) return operand;
  if ('variable' in operand)
    return operand.variable.startsWith(ROW)
      ? { variable: `${PRINCIPAL}${operand.variable.slice(ROW.length)}` }
      : operand;
  const { operator, operands } = operand.expression;
  return { expression: { operator, operands: operands.map(renamed) } };
}
