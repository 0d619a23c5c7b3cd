import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { didYouMean } from '../cel/check/did-you-mean.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { SuiteFiles, TestFile } from '../../compiler/load/index.js';
import { decodeObject } from '../../compiler/parse/decode.js';
import type { MessageType } from '../../compiler/parse/schema/field.js';
import type { ObjectValue } from '../../compiler/parse/schema/value.js';
import { validateStructure } from '../../compiler/parse/structure.js';
import { readDocument } from '../../compiler/parse/yaml/read.js';
import { auxDataAgreements, noAgreements, suiteAgreements } from './agreements.js';
import { buildFixtures } from './build-fixtures.js';
import { buildSuite } from './build-suite.js';
import { type Complaint, InvalidSuite } from './invalid-suite.js';
import { AUX_DATA_FIXTURES, PRINCIPAL_FIXTURES, RESOURCE_FIXTURES, SUITE } from './schema.js';
import type { Fixtures, Suite } from './suite.js';

/** Reads a suite file. Throws an InvalidSuite. */
export function readSuite({ file }: SuiteFiles): Suite {
  return inContext('failed to load test suite:\n', () => buildSuite(readTestDocument(file, SUITE, suiteAgreements)));
}

/** Reads the fixtures next to a suite; missing ones are empty. Throws an InvalidSuite. */
export function readFixtures({ fixtureFolder, principals, resources, auxData }: SuiteFiles): Fixtures {
  return inContext(`failed to load test fixtures from ${fixtureFolder}: `, () => {
    const ofPrincipals = loadFixtures(principals, {
      what: 'principals',
      type: PRINCIPAL_FIXTURES,
      agreements: noAgreements,
    });
    const ofResources = loadFixtures(resources, {
      what: 'resources',
      type: RESOURCE_FIXTURES,
      agreements: noAgreements,
    });
    const ofAuxData = loadFixtures(auxData, {
      what: 'aux data',
      type: AUX_DATA_FIXTURES,
      agreements: auxDataAgreements,
    });
    return {
      principals: ofPrincipals.principals,
      resources: ofResources.resources,
      auxData: ofAuxData.auxData,
      principalGroups: ofPrincipals.principalGroups,
      resourceGroups: ofResources.resourceGroups,
    };
  });
}

/** Throws an InvalidSuite if a group names a member that is not among the fixtures. */
export function requireMembers(groups: Fixtures['principalGroups'], known: ReadonlySet<string>): void {
  for (const [name, members] of groups) {
    const missing = members.find(({ value }) => !known.has(value));
    if (missing === undefined) continue;
    const text = `missing fixture ${JSON.stringify(missing.value)} referenced in group ${JSON.stringify(name)}`;
    throw new InvalidSuite([{ text, place: missing.place, notes: didYouMean(missing.value, known) }]);
  }
}

/** Problems are reported after a prefix. */
export function inContext<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidSuite) throw new InvalidSuite(error.complaints, `${prefix}${error.prefix}`);
    throw error;
  }
}

interface FixtureKind {
  readonly what: string;
  readonly type: MessageType;
  readonly agreements: Agreements;
}

function loadFixtures(file: TestFile | undefined, { what, type, agreements }: FixtureKind): Fixtures {
  if (file === undefined) return NO_FIXTURES;
  const fixtures = inContext(`failed to load ${what}:\n`, () =>
    buildFixtures(readTestDocument(file, type, agreements)),
  );
  return inContext(`failed to load ${what}: `, () => {
    requireMembers(fixtures.principalGroups, new Set(fixtures.principals.keys()));
    requireMembers(fixtures.resourceGroups, new Set(fixtures.resources.keys()));
    return fixtures;
  });
}

const NO_FIXTURES: Fixtures = {
  principals: new Map(),
  resources: new Map(),
  auxData: new Map(),
  principalGroups: new Map(),
  resourceGroups: new Map(),
};

/** The constraints of a file type that span several fields. */
type Agreements = (document: ObjectValue) => readonly Complaint[];

/**
 * Reads a test file (docs/spec/server.md#parsing-of-test-files) like a policy file: one document, with the shape of its
 * type. Throws an InvalidSuite with a line `LINE:COL TEXT` for each problem.
 */
function readTestDocument(file: TestFile, type: MessageType, agreements: Agreements): ObjectValue {
  if ('unreadable' in file) throw new InvalidSuite(file.unreadable);
  const { source } = file;
  const document = mappedDocument(source, type);
  const structure = new Diagnostics();
  validateStructure(document, source, structure);
  const complaints = [...structure.sorted().map(toComplaint), ...agreements(document)];
  if (complaints.length > 0) throw new InvalidSuite(positioned(complaints));
  return document;
}

function mappedDocument(source: Source, type: MessageType): ObjectValue {
  const report = new Diagnostics();
  const read = readDocument(source, report);
  const document = read && decodeObject(read.root, type, read.problems);
  read?.problems.reportTo(report);
  if (document !== undefined && !report.hasErrors) return document;
  const complaints = report.sorted().map(toComplaint);
  throw new InvalidSuite(complaints.length === 0 ? 'there is nothing in the file' : positioned(complaints));
}

function toComplaint({ place, message: text, shown, notes }: Diagnostic): Complaint {
  return { place, text, notes, ...(shown !== undefined && { shown }) };
}

/** Sorted by location, missing fields last; each with its line and column. */
function positioned(complaints: readonly Complaint[]): readonly Complaint[] {
  const last = Number.POSITIVE_INFINITY;
  const sorted = complaints.toSorted((a, b) => {
    const order = (a.place?.anchor ?? last) - (b.place?.anchor ?? last);
    return Number.isNaN(order) ? 0 : order;
  });
  return sorted.map(withPosition);
}

function withPosition(complaint: Complaint): Complaint {
  const { place, text, shown } = complaint;
  if (place === undefined) return complaint;
  const { line, column } = place.span.source.lineAndColumn(place.anchor);
  const position = `${line}:${column}`;
  return { ...complaint, text: `${position} ${text}`, ...(shown !== undefined && { shown: `${position} ${shown}` }) };
}
