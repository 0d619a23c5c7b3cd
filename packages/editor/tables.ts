import { posix } from 'node:path';
import type { MessageType } from '../../compiler/parse/schema/field.js';
import { DOCUMENT } from '../../compiler/parse/schema/tables.js';
import { AUX_DATA_FIXTURES, PRINCIPAL_FIXTURES, RESOURCE_FIXTURES, SUITE } from '../policy-tests/schema.js';
import { chooseKind } from './file-kind.js';

/** The shape of the documents in a file; undefined if it is not one of policies and their tests. */
export function findTable(path: string): MessageType | undefined {
  switch (chooseKind(path)) {
    case 'policy':
      return DOCUMENT;
    case 'suite':
      return SUITE;
    case 'fixtures':
      return fixturesNamed(posix.basename(path));
    default:
      return undefined;
  }
}

function fixturesNamed(name: string): MessageType {
  if (name.startsWith('principals')) return PRINCIPAL_FIXTURES;
  return name.startsWith('resources') ? RESOURCE_FIXTURES : AUX_DATA_FIXTURES;
}
