const UNRELEASED = '## [Unreleased]';

/**
 * Moves the unreleased section of CHANGELOG.md under a version and its date (`YYYY-MM-DD`), and adds an empty one.
 * Throws if there is nothing to release, or if the version already has a section.
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  const begin = text.indexOf(`${UNRELEASED}\n`);
  if (begin < 0) throw new Error(`CHANGELOG.md has no section \`${UNRELEASED}\``);
  if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const rest = text.slice(begin + UNRELEASED.length);
  const next = rest.indexOf('\n## ');
  const section = next < 0 ? rest : rest.slice(0, next);
  if (!/^- /m.test(section)) throw new Error(`CHANGELOG.md has nothing under \`${UNRELEASED}\``);
  return `${text.slice(0, begin)}${UNRELEASED}\n\n## [${version}] - ${date}${rest}`;
}
