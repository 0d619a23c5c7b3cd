/** Versions of libraries by name. */
export type Versions = { readonly [name: string]: string };

/** The oldest and the newest version of each library that an application may have. */
export const SETS: { readonly oldest: Versions; readonly newest: Versions };

/** Libraries that others of a set load, whatever their own version is. */
export const BESIDE: readonly string[];

/** The versions of a set that differ from those of package.json, with which the same tests run anyway. */
export function otherVersions(set: keyof typeof SETS): Versions;
