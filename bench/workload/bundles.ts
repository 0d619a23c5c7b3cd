import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from '../harness/child.js';
import type { CompileReport } from './compile-report.js';

/** Which policies: `hot` is the leave policy of this repository, the others are generated sets. */
export type Shape = 'hot' | 'six-rules' | 'ten-rules';

/** A bundle on disk, and the measurements of its compilation. */
export interface MadeBundle {
  readonly path: string;
  readonly report: CompileReport;
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
