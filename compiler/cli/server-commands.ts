/** The commands that authzc shares with dist/server.js: `config print`, `healthcheck` and `audit`. */
export { addServerCommands } from '../../server/cli/commands.js';
