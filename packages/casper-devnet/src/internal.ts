/** What the program `wattfeed` shares with this package's own program. The tarball does not export it. */
export { addDevnetCommand } from './command/devnetCommand.ts'
