import type { Types } from './ast/checked.js';
import type { PolicyFile } from './ast/policy.js';
import type { PolicySet } from './ast/policy-set.js';
import { attributes } from './attributes/index.js';
import { type Diagnostic, Diagnostics } from './diagnostics/diagnostic.js';
import type { Source } from './diagnostics/source.js';
import { emit } from './emit/index.js';
import type { Explained } from './emit/options.js';
import type { EmittedFile } from './ir/emitted-file.js';
import { policyDocuments } from './inspect/policy-documents.js';
import type { InvariantSet } from './ir/invariants.js';
import type { DerivedRolesModule, Program } from './ir/program.js';
import type { SchemaSet } from './ir/schema.js';
import { link } from './link/index.js';
import { lower, lowerInvariants } from './lower/index.js';
import { fold, optimise } from './optimise/index.js';
import { parse, parseRest } from './parse/index.js';
import { schema } from './schema/index.js';
import { validate } from './validate/index.js';
import { requireDeclared, type Vocabulary } from './validate/vocabulary.js';
import { version } from './version.js';

/** What a compilation gives: files and their program, or diagnostics that say why not; warnings come beside files. */
export interface Compilation {
  /** Emitted when they are first read: analyses of the program do not need them. */
  readonly files: readonly EmittedFile[];
  readonly program: Program | undefined;
  /** The program before `optimise`, with the conditions as their authors wrote them. */
  readonly lowered: Program | undefined;
  /** Statements about the policies, of which nothing is emitted; none if the policies are refused. */
  readonly invariants: readonly InvariantSet[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Inputs of a compilation besides the policies. */
export interface CompileOptions {
  /** The JSON schemas, by path below `_schemas`. */
  readonly schemaTexts?: ReadonlyMap<string, string>;
  /** Whether attributes that the schemas do not know, or do not require, are errors. */
  readonly strictTypes?: boolean;
  /** The roles and actions that policies may name. */
  readonly vocabulary?: Vocabulary;
  /** Whether only what checks need is emitted. */
  readonly checksOnly?: boolean;
  /** Whether what decides while facts are unknown is emitted, too. */
  readonly facts?: boolean;
  /** Whether what explains decisions is emitted, too. */
  readonly explain?: boolean;
  /** The number of policies with a scope from which scopes are loaded on demand, if not the usual one. */
  readonly scopedFrom?: number;
  /** Called before each step with its name, and before each file that is parsed. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/**
 * Policies in, TypeScript out. Each line is a folder; no stage knows another. Pure: equal sources give equal files.
 *
 * @param report the diagnostics of loading; those of the compilation are added.
 */
export function compile(
  sources: readonly Source[],
  report = new Diagnostics(),
  options: CompileOptions = {},
): Compilation {
  const { checksOnly = false, explain = false, facts = false, scopedFrom, onStep } = options;
  const result = makeProgram(sources, report, options);
  if (result === undefined)
    return { files: [], program: undefined, lowered: undefined, invariants: [], diagnostics: report.sorted() };
  const { lowered, invariants, documents } = result;
  onStep?.('generating code');
  const folded = fold(lowered);
  const program = optimise(folded);
  const emitOptions = {
    checksOnly,
    ...(scopedFrom !== undefined && { scopedFrom }),
    ...(facts && { factsProgram: folded }),
    ...(explain && { explained: { program: folded, texts: collectTexts(sources, options.schemaTexts), documents } }),
  };
  const stating = new Set(invariants.map(({ sourcePath }) => sourcePath));
  const emitted = sources.filter(({ path }) => !stating.has(path));
  let files: readonly EmittedFile[] | undefined;
  return {
    get files() {
      files ??= emit(program, emitted, version, emitOptions);
      return files;
    },
    program,
    lowered,
    invariants: invariants.map(optimised),
    diagnostics: report.sorted(),
  };
}

/** The texts of policies and schemas, in path order. */
function collectTexts(
  sources: readonly Source[],
  schemaTexts: ReadonlyMap<string, string> = new Map(),
): Explained['texts'] {
  const policies = sources.map(({ path, text }) => [path, text] as const);
  const schemas = [...schemaTexts].map(([file, text]) => [`_schemas/${file}`, text] as const);
  return [...policies, ...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The stages up to `lower`; undefined if there are errors. A function of its own so that the types of expressions, which
 * take more memory than the program, end with it.
 */
export function makeProgram(
  sources: readonly Source[],
  report: Diagnostics,
  options: CompileOptions,
):
  | {
      readonly lowered: Program;
      readonly invariants: readonly InvariantSet[];
      /** What policies mention; none unless decisions are to be explained. */
      readonly documents: Explained['documents'];
    }
  | undefined {
  const checked = validateSources(sources, report, options);
  if (checked === undefined) return undefined;
  const { files, policies, types, schemas } = checked;
  const documents = options.explain === true ? policyDocuments(files) : [];
  return { lowered: lower(policies, types, schemas), invariants: lowerInvariants(policies, types), documents };
}

/** The result of the stages that report: policies without errors. */
export interface Checked {
  readonly files: readonly PolicyFile[];
  readonly policies: PolicySet;
  readonly types: Types;
  readonly schemas: SchemaSet;
}

/** The stages that report; undefined if there are errors. */
export function validateSources(
  sources: readonly Source[],
  report: Diagnostics,
  { schemaTexts = new Map(), strictTypes = false, vocabulary = {}, onStep }: CompileOptions,
): Checked | undefined {
  const files = sources.flatMap((source) => {
    onStep?.('parsing');
    return parse(source, report) ?? [];
  });
  onStep?.('validating');
  const rests = report.hasErrors ? sources.flatMap((source) => parseRest(source) ?? []) : [];
  const policies = link(files, report, rests);
  requireDeclared(policies.documents, vocabulary, report);
  const types = validate(policies, report);
  if (policies.isPartial === true) return undefined;
  const schemas = schema(policies, schemaTexts, report);
  if (!report.hasErrors) attributes(policies, types, schemas, { strictTypes }, report);
  return report.hasErrors ? undefined : { files, policies, types, schemas };
}

/** Optimises conditions as policies are, so that conditions that say the same are the same. */
function optimised(set: InvariantSet): InvariantSet {
  const [conditions] = optimise(fold({ modules: [set.conditions], schemas: [] })).modules;
  return { ...set, conditions: conditions as DerivedRolesModule };
}
