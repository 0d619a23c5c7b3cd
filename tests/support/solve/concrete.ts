import type { Value } from '../../../packages/cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import { type ListedElement, schemaFacts } from '../../../packages/analysis/encode/schemas.js';
import { Script } from '../../../packages/analysis/encode/script.js';
import { intConstant, not, stringConstant } from '../../../packages/analysis/encode/smt.js';
import type { Scope } from '../../../packages/analysis/encode/scope.js';
import { Terms } from '../../../packages/analysis/encode/terms.js';
import { constant, toInstant } from '../../../packages/analysis/encode/values.js';
import type { AssumedSchema } from '../../../packages/analysis/question/question.js';
import type { Match, Module } from '../../../compiler/ir/program.js';

/** The derived roles that conditions of tests ask about. */
const DERIVED_ROLES = ['owner', 'reader'];

/**
 * A query: may a condition have a result under one request?
 *
 * @param schemas what the attributes of the request satisfy.
 */
export function concreteQuery(
  condition: Match,
  module: Module,
  request: Request,
  result: boolean,
  schemas: readonly AssumedSchema[] = [],
): string {
  const script = new Script();
  const terms = new Terms(script);
  const scope: Scope = {
    module,
    failedIsNull: false,
    derivedRoles: () =>
      DERIVED_ROLES.map((name) => ({ name, isActive: String(request.effectiveDerivedRoles.includes(name)) })),
    locals: new Map(),
  };
  const holds = terms.holds(condition, scope);
  script.assert(result ? holds : not(holds));
  const parts: { readonly [name: string]: unknown } = {
    globals: request.globals,
    'auxData.jwt': request.auxData.jwt,
    'auxData.jwts': request.auxData.jwts,
    ...Object.fromEntries(Object.entries(request.principal).map(([name, value]) => [`principal.${name}`, value])),
    ...Object.fromEntries(Object.entries(request.resource).map(([name, value]) => [`resource.${name}`, value])),
  };
  for (const [field, text] of terms.fields) {
    const image = constant(parts[field] as Value, script);
    if (image !== undefined) script.assert(`(= ${text} ${image.text})`);
  }
  const { roles } = request.principal;
  for (const role of new Set([...roles, ...terms.roleNames.keys()]))
    script.assert(`(= (hasRole ${stringConstant(role)}) ${roles.includes(role)})`);
  script.assert(`(= (Lst roles) ${constant(roles, script)?.text})`);
  script.assert(`(= now (Ts ${intConstant(toInstant(request.now))} ${intConstant(request.now.offset)}))`);
  const elementsOf = (list: string): readonly ListedElement[] =>
    [0, 1].map((at) => ({
      text: script.define('V', `(elemJson (lst ${list}) ${at})`),
      isThere: `(< ${at} (length (lst ${list})))`,
    }));
  for (const fact of schemaFacts(schemas, terms, elementsOf)) script.assert(fact);
  terms.stateContents();
  return script.text();
}
