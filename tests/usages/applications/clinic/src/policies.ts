import type { inProcessClient } from 'authz/client';

/** Stands for the compiled policies. */
export declare const policies: Parameters<typeof inProcessClient>[0];
