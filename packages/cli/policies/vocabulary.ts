import { existsSync, readFileSync } from 'node:fs';
import { writtenConfig } from '../../../server/config/project-file.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { Vocabulary } from '../../../compiler/validate/vocabulary.js';

/** The configuration file of a project. */
export const PROJECT_FILE = '.authz.yaml';

/**
 * The vocabulary that the project in the working directory declares; an empty one without `.authz.yaml`. The rest of
 * the file is for the server, and not read here: environment variables of the server need not be set. Throws if the
 * vocabulary is malformed.
 */
export function readVocabulary(file = PROJECT_FILE): Vocabulary {
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  if (!text.includes('vocabulary')) return {};
  const { vocabulary } = readRecord(writtenConfig(text), file);
  if (vocabulary === undefined || vocabulary === null) return {};
  const members = readRecord(vocabulary, `${file}: vocabulary`);
  for (const [name, words] of Object.entries(members)) {
    const where = `${file}: vocabulary.${name}`;
    if (name !== 'roles' && name !== 'actions') throw new Error(`${where}: must be one of: roles, actions`);
    if (!Array.isArray(words) || words.some((word) => typeof word !== 'string' || word === ''))
      throw new Error(`${where}: must be a list of strings`);
  }
  return members as Vocabulary;
}

function readRecord(value: unknown, where: string): { readonly [name: string]: unknown } {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error(`${where}: must be a map`);
  return value as { readonly [name: string]: unknown };
}

/** A warning for each role and action of a request that is not declared. */
export function undeclaredWords(
  { roles, actions }: Vocabulary,
  request: { readonly roles: readonly string[]; readonly actions: readonly string[] },
): readonly string[] {
  return [
    ...describeUndeclared('role', request.roles, roles),
    ...describeUndeclared('action', request.actions, actions),
  ];
}

function describeUndeclared(
  what: string,
  words: readonly string[],
  declared: readonly string[] | undefined,
): readonly string[] {
  if (declared === undefined) return [];
  return words
    .filter((word) => !declared.includes(word))
    .map((word) => {
      const [note] = didYouMean(word, declared);
      return `${what} \`${word}\` is not declared in the vocabulary${note === undefined ? '' : `: ${note.message}`}`;
    });
}
