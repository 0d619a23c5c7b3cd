/** The release of the compiler, as `authzc --version` prints it and the manifest records it. */
export const version = '0.1.0';
