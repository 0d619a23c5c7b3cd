/**
 * Imports a package that the bench installs beside the file that it builds, and not the project: its types are not
 * known where this is compiled.
 */
export async function importPackage<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}
