import { start } from '../support/server/start.js';

// A server in its own process, whose memory its parent has limited. It ends with its parent.
process.on('disconnect', () => process.exit(0));
const { httpAddress, grpcAddress } = await start(process.argv.slice(2));
process.send?.({ httpAddress, grpcAddress });
