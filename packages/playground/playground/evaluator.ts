import type { PlaygroundInput, PlaygroundResult } from './result.js';
import { WorkerClient } from './worker-client.js';

/** Evaluates inputs in a worker, one at a time: an input that arrives meanwhile replaces the one that waits. */
export class Evaluator {
  private readonly client = new WorkerClient();
  private isBusy = false;
  private waiting: PlaygroundInput | undefined;

  constructor(
    private readonly onResult: (result: PlaygroundResult) => void,
    private readonly onFailure: (reason: string) => void,
  ) {}

  evaluate(input: PlaygroundInput): void {
    if (this.isBusy) this.waiting = input;
    else void this.start(input);
  }

  private async start(input: PlaygroundInput): Promise<void> {
    this.isBusy = true;
    try {
      const result = await this.client.ask('evaluate', input);
      if (this.waiting === undefined) this.onResult(result);
    } catch (error) {
      this.onFailure(error instanceof Error ? error.message : String(error));
    }
    this.isBusy = false;
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting !== undefined) this.evaluate(waiting);
  }
}
