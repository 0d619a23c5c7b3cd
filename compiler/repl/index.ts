export { PendingInput } from './pending-input.js';
export { type ReadPolicy, type Reply, Session, type World } from './session.js';
