/** The environment variable by which a process knows that it is a worker. */
export const WORKER_VARIABLE = 'AUTHZ_WORKER';
