/** The variables with the URL of a job, of the CI systems that set one. */
const VARIABLES = ['CI_JOB_URL', 'BUILD_URL', 'BUILDKITE_BUILD_URL', 'CIRCLE_BUILD_URL'];

/** The URL of the CI job that this process is part of; undefined outside of CI. */
export function ciJob(environment: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  if (server !== undefined && repository !== undefined && run !== undefined)
    return `${server}/${repository}/actions/runs/${run}`;
  return VARIABLES.map((name) => environment[name]).find((url) => url !== undefined && url !== '');
}
