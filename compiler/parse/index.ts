import type { PolicyFile } from '../ast/policy.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { policyFile } from './build/policy.js';
import { decodeObject } from './decode.js';
import { DOCUMENT } from './schema/tables.js';
import type { ObjectValue } from './schema/value.js';
import { type Damage, repair } from './repair.js';
import { validateSemantics } from './semantics.js';
import { validateStructure } from './structure.js';
import { readBroken, readDocument } from './yaml/read.js';

/** What a source is: a policy, or what is left of one with mistakes. */
interface Parsed {
  readonly file: PolicyFile | undefined;
  /** The policy without its mistakes, for what later stages report. */
  readonly rest: PartialFile | undefined;
  readonly report: Diagnostics;
}

/** A policy without the parts that have mistakes. */
export interface PartialFile {
  readonly file: PolicyFile;
  /** Whether other parts than rules have mistakes: names may be defined or imported there. */
  readonly lacksNames: boolean;
}

/** Parse results by source: an unchanged source is not parsed again when a folder is recompiled. */
const parsed = new WeakMap<Source, Parsed>();

/**
 * Parses a policy file into a tree (docs/spec/policy-language.md#compilation-phases). Undefined for an empty file, and
 * for one with errors, which are reported. A disabled policy is validated only structurally.
 */
export function parse(source: Source, report: Diagnostics): PolicyFile | undefined {
  const result = readSource(source);
  report.adopt(result.report);
  return result.file;
}

/** A policy with errors, without the parts that have them. Undefined for other sources, and if nothing can be read. */
export function parseRest(source: Source): PartialFile | undefined {
  return readSource(source).rest;
}

function readSource(source: Source): Parsed {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const report = new Diagnostics();
  const result = { ...parseSource(source, report), report };
  parsed.set(source, result);
  return result;
}

/** Each stage reports, and the next one gets what is left. */
function parseSource(source: Source, report: Diagnostics): Omit<Parsed, 'report'> {
  const read = readDocument(source, report, readBroken);
  if (read === undefined) return { file: undefined, rest: undefined };
  const { root, problems } = read;
  const { damage } = problems;
  const decoded = decodeObject(root, DOCUMENT, problems);
  problems.reportTo(report);
  const readable = problems.found ? repair(decoded, damage, false) : decoded;
  const isValid = validateStructure(readable, source, report, damage) && !problems.found;
  const document = isValid ? decoded : repair(readable, damage, true);
  const file = policyFile(document, source);
  if (file.disabled) return { file: isValid ? file : undefined, rest: undefined };
  const own = new Diagnostics();
  const isSound = validateSemantics(file, document, own);
  report.adopt(own.without((place) => damage.isIn(place.span)));
  if (isValid && isSound) return { file, rest: undefined };
  return { file: undefined, rest: { file, lacksNames: lacksNames(document, damage, isSound) } };
}

/** Whether there are mistakes where names are defined or imported. Definitions that are there twice are not sound. */
function lacksNames(document: ObjectValue, damage: Damage, isSound: boolean): boolean {
  const legacy = document.fields.get('variables');
  if (legacy !== undefined && damage.isIn(legacy.place.span)) return true;
  return [...document.fields.values()].some(({ value, place }) => {
    if (value.kind !== 'object') return false;
    const rules = value.fields.get('rules');
    const inRules = rules?.value.kind === 'list' ? damage.countIn(rules.place.span) : 0;
    return damage.countIn(place.span) > inRules || (rules === undefined && !isSound);
  });
}
