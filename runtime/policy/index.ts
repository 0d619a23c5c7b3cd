/** The contract of generated code and engine, and the functions that generated modules need for it. */
export * from './policy.js';
export type { FactTypes, JsonTypes } from './fact-types.js';
export type { SchemaViolation } from '../../packages/json-schema/violation.js';
export type { BundleFacts, Leaf, ReadLevel, ReadPath, ReadSet, ReadSetOptions, ReadSetQuery } from './read-set.js';
export { always } from './always.js';
export {
  derivedRole,
  type DerivedRoleText,
  principalPolicy,
  type PrincipalPolicyText,
  resourcePolicy,
  type ResourcePolicyText,
  rolePolicy,
  type RolePolicyText,
} from './define.js';
export { type GlobState, type GlobStates, globStates } from './glob-automaton.js';
export { anyOf, glob, literalAndGlob, literalOrGlob } from './glob.js';
export { type GlobToken, parseGlob } from './glob-syntax.js';
export { policyKey, sanitize, sanitizeGlob } from './names.js';
export type {
  ActionOf,
  ActorOf,
  AnyPermissions,
  Json,
  KindOf,
  KindPermissions,
  OutputOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
  RoleOf,
  WithActions,
} from './permissions.js';
export { appliesTo, isGlob, matchesName, namedActions } from './pattern.js';
export { ANYONE, matchesAny, patternsOf, rowsOf } from './reach.js';
