/** A configuration that the server cannot start with: what is wrong, and where (`file:line:column`, or the flag). */
export class ConfigError extends Error {
  constructor(
    readonly problem: string,
    readonly place: string,
  ) {
    super(`${place}: ${problem}`);
  }
}
