/** The output formats of test results. */
export const TEST_FORMATS = ['tree', 'list', 'json', 'junit'] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];
