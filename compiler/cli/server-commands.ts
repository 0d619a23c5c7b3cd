/** The commands that authzc shares with dist/server.js: `config print` and `healthcheck`. */
export { addServerCommands } from '../../server/cli/commands.js';
