/** A guard for servers of the Model Context Protocol, by COAZ mappings. A preview (docs/mcp-guard.md). */
export {
  type AuthZenOptions,
  type Claims,
  type DecisionPoint,
  decideOverAuthZen,
  decideWith,
  type VerifiedPrincipal,
} from './decision-point.js';
export type { Entity, Evaluation } from './evaluation.js';
export {
  type GuardedTool,
  MappingError,
  type McpGuard,
  mcpGuard,
  type McpGuardOptions,
  type McpRefusal,
  type McpRequest,
} from './guard.js';
export type { MappingProblem } from './mapping.js';
export {
  DENIED,
  type MessageOrigin,
  type MessageTransport,
  protect,
  type ProtectedServer,
  UNVERIFIED,
} from './protect.js';
