/** What decisions read of requests (`authz/facts`). */
export { decisionKey, type DecisionKeyOptions } from './key.js';
export { readSetOf } from './of-bundle.js';
export { type Projectable, project } from './project.js';
export type { BundleFacts, Leaf, ReadLevel, ReadPath, ReadSet, ReadSetOptions, ReadSetQuery } from '../policy/index.js';
export type { RowLock } from './row-lock.js';
export type { DecisionOutputs, FactsDecision } from './loop.js';
export type { UnknownFact, UsedFact } from './ask.js';
export { createFactsEngine } from './engine.js';
export type {
  AnswerOptions,
  AnswerRequest,
  DecideOptions,
  FactsAnswer,
  FactsEngine,
  FactsOptions,
  FactsSession,
  ManyRequest,
  PrincipalQuery,
  SessionOptions,
} from './facts-engine.js';
export { FactsUnavailableError } from './errors.js';
export {
  absent,
  type CacheOptions,
  type CallerPolicy,
  type FactSource,
  type FactType,
  type LoadContext,
  type Rows,
  type Selects,
  type Wanted,
} from './source.js';
export type { ActionFacts, FactsRequest, KindFacts, ReadAttributes } from './typed.js';
