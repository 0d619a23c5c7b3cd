/** A test suite that cannot be run: its message goes into the report, for its author to mend. */
export class InvalidSuite extends Error {}
