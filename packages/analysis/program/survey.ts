import { type AccessRequest, createEngine, type EngineOptions, explanations } from '../../../runtime/engine/index.js';
import { computedRoles, type Surveyor, surveyParts } from '../../../runtime/engine/parts.js';
import type { ProgramBundle } from './bundle.js';

/**
 * Tells a surveyor of every rule that the action and the roles of a request reach. Returns false if the limits of a
 * call ended it early.
 */
export type Survey = (request: AccessRequest) => boolean;

/**
 * Surveys the rules of a program: in all scopes, for all roles, whether or not another rule decides. Strict evaluation
 * makes no difference to which rules those are, but to the derived roles that conditions see. JSON schemas make none.
 */
export function makeSurvey({ bundle, traced }: ProgramBundle, options: EngineOptions, surveyor: Surveyor): Survey {
  // An explanation visits the rules of all tables, and lists the derived roles that conditions see.
  const engine = createEngine(
    { ...bundle, ...surveyParts(bundle, surveyor) },
    { ...options, schemaEnforcement: 'none', traced, use: [explanations(), computedRoles] },
  );
  return ({ principal, resource, action, auxData }) => {
    const request = { principal, auxData, resources: [{ resource, actions: [action] }] };
    return engine.explain(request).effectiveDerivedRoles !== undefined;
  };
}
