/** Files that the build puts into the program as text. */
declare module '*.yaml' {
  const text: string;
  export default text;
}
