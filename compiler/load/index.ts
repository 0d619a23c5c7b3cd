export { load, type Loaded, MAX_FILE_SIZE } from './load.js';
export { sourceText } from './source-text.js';
export {
  isHidden,
  isPolicyFile,
  isReadFromPolicies,
  isSkippedDirectory,
  isSuiteFile,
  SCHEMAS_DIRECTORY,
} from './names.js';
export { type SuiteFiles, suitesAmong, type TestFile } from './suite-files.js';
export { loadSuites } from './suites.js';
