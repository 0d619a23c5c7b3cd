import { attributes } from './attributes/index.js';
import { type Diagnostic, Diagnostics } from './diagnostics/diagnostic.js';
import type { Source } from './diagnostics/source.js';
import { emit } from './emit/index.js';
import type { EmittedFile } from './ir/emitted-file.js';
import type { Program } from './ir/program.js';
import { link } from './link/index.js';
import { lower } from './lower/index.js';
import { optimise } from './optimise/index.js';
import { parse } from './parse/index.js';
import { schema } from './schema/index.js';
import { validate } from './validate/index.js';
import { version } from './version.js';

/** What a compilation gives: files and their program, or diagnostics that say why not; warnings come beside files. */
export interface Compilation {
  readonly files: readonly EmittedFile[];
  readonly program: Program | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Inputs of a compilation besides the policies. */
export interface CompileOptions {
  /** The JSON schemas, by path below `_schemas`. */
  readonly schemaTexts?: ReadonlyMap<string, string>;
  /** Whether attributes that the schemas do not know, or do not require, are errors. */
  readonly strictTypes?: boolean;
  /** Whether only what checks need is emitted. */
  readonly checksOnly?: boolean;
}

/**
 * Policies in, TypeScript out. Each line is a folder; no stage knows another. Pure: equal sources give equal files.
 *
 * @param report the diagnostics of loading; those of the compilation are added.
 */
export function compile(
  sources: readonly Source[],
  report = new Diagnostics(),
  { schemaTexts = new Map(), strictTypes = false, checksOnly = false }: CompileOptions = {},
): Compilation {
  const files = sources.flatMap((source) => parse(source, report) ?? []);
  const policies = link(files, report);
  const types = validate(policies, report);
  const schemas = schema(policies, schemaTexts, report);
  if (!report.hasErrors) attributes(policies, types, schemas, { strictTypes }, report);
  if (report.hasErrors) return refused(report);

  const program = optimise(lower(policies, types, schemas));
  return { files: emit(program, sources, version, { checksOnly }), program, diagnostics: report.sorted() };
}

function refused(report: Diagnostics): Compilation {
  return { files: [], program: undefined, diagnostics: report.sorted() };
}
