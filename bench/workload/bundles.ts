import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyBundle } from '../../runtime/policy/index.js';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { runChild } from '../harness/child.js';
import { ROOT } from '../harness/paths.js';
import type { CompileReport } from './compile-report.js';
import type { PolicyTexts } from './leave-policies.js';

/** Which policies: `hot` is the leave policy of this repository, the others are generated sets. */
export type Shape = 'hot' | 'six-rules' | 'ten-rules';

/** A bundle on disk, and the measurements of its compilation. */
export interface MadeBundle {
  readonly path: string;
  readonly report: CompileReport;
}

/** The bundle of a few policies, compiled in this process. */
export async function compiled(texts: PolicyTexts): Promise<PolicyBundle> {
  const { files } = compile(Object.entries(texts).map(([path, text]) => new Source(path, text)));
  return (await importBundle((await bundle(files, join(ROOT, 'runtime'))).js)).policies;
}

/** The bundles that the benchmarks of one run share. Each is compiled once, cold, in its own process. */
export class Bundles {
  private readonly made = new Map<string, Promise<MadeBundle>>();
  private readonly directory = mkdtempSync(join(tmpdir(), 'authz-bench-'));

  get(shape: Shape, count: number): Promise<MadeBundle> {
    const name = `${shape}-${count}`;
    const made = this.made.get(name) ?? this.make(shape, count, join(this.directory, name));
    this.made.set(name, made);
    return made;
  }

  /** Compiles again, for another sample. */
  again(shape: Shape, count: number): Promise<MadeBundle> {
    return this.make(shape, count, mkdtempSync(join(this.directory, 'again-')));
  }

  /** A file next to the bundles, which is removed with them. */
  write(name: string, text: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async make(shape: Shape, count: number, directory: string): Promise<MadeBundle> {
    mkdirSync(directory, { recursive: true });
    const report = await runChild<CompileReport>('compile.worker.ts', [shape, String(count), directory], MEMORY);
    return { path: join(directory, 'policies.mjs'), report };
  }
}

/** 10,000 policies and their syntax trees do not fit in Node's default heap on a small machine. */
const MEMORY = ['--max-old-space-size=6144'];
