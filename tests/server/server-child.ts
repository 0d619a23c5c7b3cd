import { start } from '../support/server/start.js';

/** Asks for one more server in this process. The answer has the same number. */
export interface ServerRequest {
  readonly number: number;
  readonly sets: readonly string[];
}

/** Where a server listens. */
export interface ServerAddresses {
  readonly number: number;
  readonly httpAddress: string;
  readonly grpcAddress: string;
}

/** The argument of a process that only starts the servers that it is asked for. */
const ASKED = 'asked';

// Servers in a process of their own, whose memory its parent may limit. It ends with its parent.
process.on('disconnect', () => process.exit(0));
process.on('message', (request: ServerRequest) => void serve(request));
const [, , ...sets] = process.argv;
if (sets[0] !== ASKED) await serve({ number: 0, sets });

async function serve({ number, sets }: ServerRequest): Promise<void> {
  const { httpAddress, grpcAddress } = await start(sets);
  process.send?.({ number, httpAddress, grpcAddress } satisfies ServerAddresses);
}
