import { formatPretty } from '../../../compiler/diagnostics/format.js';
import type { Program } from '../../../compiler/ir/program.js';
import {
  compileFolder,
  decidesNothing,
  type FolderCompilation,
  loadPolicies,
  type ReadyPolicies,
} from '../policies/compile.js';
import { emptyText } from '../policies/empty-folder.js';

/** Why a tool has no answer, in words for its caller. */
export class Refused extends Error {}

/** Policies that are ready to decide, with what analyses read. */
export interface Policies extends ReadyPolicies {
  readonly lowered: Program;
}

/** A folder of policies that is read again for each question, and compiled again if a file has changed. */
export class PolicyFolder {
  private latest: FolderCompilation | undefined;
  private ready: Promise<Policies> | undefined;

  constructor(
    readonly path: string,
    /** That of git. */
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Throws when the folder cannot be read. */
  compile(): FolderCompilation {
    const compilation = compileFolder(this.path, { earlier: this.latest?.sources ?? [] });
    if (this.latest === undefined || !hasSameFiles(this.latest, compilation)) this.ready = undefined;
    this.latest = compilation;
    return compilation;
  }

  /** Rejects with a Refused if the policies do not compile, or decide nothing. */
  async policies(): Promise<Policies> {
    const compilation = this.compile();
    const { lowered, diagnostics } = compilation;
    if (lowered === undefined)
      throw new Refused(
        `The policies do not compile.\n\n${formatPretty(diagnostics, { color: false, folder: this.path })}`,
      );
    if (decidesNothing(compilation)) throw new Refused(emptyText(this.path, compilation));
    this.ready ??= loadPolicies(compilation, this.path).then((ready) => ({ ...ready, lowered }));
    return this.ready;
  }
}

function hasSameFiles(one: FolderCompilation, other: FolderCompilation): boolean {
  return (
    one.sources.length === other.sources.length &&
    one.sources.every((source, index) => source === other.sources[index]) &&
    one.schemas.size === other.schemas.size &&
    [...one.schemas].every(([path, text]) => other.schemas.get(path) === text)
  );
}
