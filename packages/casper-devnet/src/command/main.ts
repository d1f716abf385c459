import { Command } from 'commander'
import { version } from '../../package.json' with { type: 'json' }
import { addDevnetCommand } from './devnetCommand.ts'

/** Resolves on the first signal, or when standard output is closed. A second signal ends the process at once. */
const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve())
    process.stdout.on('error', () => resolve())
  })

const command = new Command('casper-devnet').version(version)
await addDevnetCommand(command, { untilStopped }).parseAsync()
