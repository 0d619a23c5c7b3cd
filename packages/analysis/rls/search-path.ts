/**
 * What functions search. PostgreSQL finds types of the session before all others unless its schema is named, and a role that
 * may create one could decide what a function of another role runs.
 */
export const FUNCTION_SEARCH_PATH = 'pg_catalog, pg_temp';

/** The clause of a function that sets what it searches. */
export const SETS_SEARCH_PATH = `SET search_path = ${FUNCTION_SEARCH_PATH}`;

/** The setting by which a session may have a GIN index return only some rows, unless it is 0. A hidden row denies nothing. */
export const GIN_LIMIT = 'gin_fuzzy_search_limit';

/** The clauses of a function that reads related rows as another role. */
export const READS_ALL = `${SETS_SEARCH_PATH} SET ${GIN_LIMIT} = 0`;

/** Names in a transaction are those of PostgreSQL, and of tables with their schema, whatever the session searches. */
export const LOCAL_SEARCH_PATH = 'SET LOCAL search_path = pg_catalog';
