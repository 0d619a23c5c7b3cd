import type { AccessRequest } from '../../../runtime/engine/index.js';
import { type Instant, type Request, sanitize } from '../../../runtime/policy/index.js';
import { holds, makeSurroundings } from '../../../packages/analysis/program/conditions.js';
import type { Formula } from '../../../packages/analysis/formula/formula.js';

/** Whether a formula is true for a request, with conditions evaluated from the IR. */
export function isTrueFor(formula: Formula, asked: AccessRequest, now: Instant): boolean {
  if (typeof formula === 'boolean') return formula;
  switch (formula.kind) {
    case 'and':
      return formula.operands.every((operand) => isTrueFor(operand, asked, now));
    case 'or':
      return formula.operands.some((operand) => isTrueFor(operand, asked, now));
    case 'not':
      return !isTrueFor(formula.operand, asked, now);
    case 'role':
      return asked.principal.roles.includes(formula.role);
    case 'holds': {
      const { condition, module, failedIsNull, derivedRoles = [] } = formula;
      const active = derivedRoles.filter(({ isActive }) => isTrueFor(isActive, asked, now)).map(({ name }) => name);
      return holds(condition, makeSurroundings(module, requestOf(asked, active, now), { failedIsNull }));
    }
  }
}

/** What conditions see. */
function requestOf({ principal, resource, auxData }: AccessRequest, active: readonly string[], now: Instant): Request {
  const filled = <T extends { readonly scope?: string | undefined }>(asked: T) => ({
    attr: {},
    policyVersion: '',
    ...asked,
    scope: (asked.scope ?? '').replace(/^\./, ''),
  });
  return {
    principal: filled(principal) as Request['principal'],
    resource: { ...filled(resource), kind: sanitize(resource.kind) } as Request['resource'],
    auxData: { jwt: {}, jwts: {}, ...auxData } as Request['auxData'],
    effectiveDerivedRoles: active,
    failedDerivedRoles: [],
    globals: {},
    now,
  };
}
