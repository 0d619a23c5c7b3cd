const UNRELEASED = '## [Unreleased]';

/**
 * Moves the unreleased section of CHANGELOG.md under a version and its date (`YYYY-MM-DD`), and adds an empty one.
 * Throws if there is nothing to release, if the version already has a section, or if it is a patch release that allows
 * more (docs/versioning.md#decisions).
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  const begin = text.indexOf(`${UNRELEASED}\n`);
  if (begin < 0) throw new Error(`CHANGELOG.md has no section \`${UNRELEASED}\``);
  if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const rest = text.slice(begin + UNRELEASED.length);
  const next = rest.indexOf('\n## ');
  const section = next < 0 ? rest : rest.slice(0, next);
  if (!/^- /m.test(section)) throw new Error(`CHANGELOG.md has nothing under \`${UNRELEASED}\``);
  checkDecisions(section, version);
  return `${text.slice(0, begin)}${UNRELEASED}\n\n## [${version}] - ${date}${rest}`;
}

function checkDecisions(section: string, version: string): void {
  const [, after = ''] = section.split('\n### Decisions\n');
  const [decisions = ''] = after.split('\n### ');
  const entries = decisions.split('\n').filter((line) => line.startsWith('- '));
  const unclear = entries.find((entry) => !/^- (?:Allowed|Denied): /.test(entry));
  if (unclear !== undefined)
    throw new Error(`CHANGELOG.md, Decisions: begin \`${unclear}\` with \`Allowed:\` or \`Denied:\``);
  const isPatch = !version.endsWith('.0');
  if (isPatch && entries.some((entry) => entry.startsWith('- Allowed: ')))
    throw new Error('CHANGELOG.md has decisions that allow more: release a minor version');
}
