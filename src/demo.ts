import { type Command, Option } from 'commander'
import { createAgentCommand } from './agent.ts'
import { CHAIN_NAME } from './demo/demoChain.ts'
import { demoSettings, readDemoSettings } from './demo/demoSettings.ts'
import { runLiveDemo } from './demo/liveDemo.ts'
import { ServerStartError } from './demo/programs.ts'
import { runRecordedDemo } from './demo/recordedDemo.ts'
import { createCommand } from './runtime/createCommand.ts'
import { commandError } from './runtime/errorFields.ts'
import { isFromSource } from './runtime/isFromSource.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'
import { nextStopSignal } from './runtime/stopSignal.ts'

const description = `Runs a chain, the agent and the server on this machine. No network is needed.

The chain executes the real contracts; the figures and their history are invented. With --recorded, the server reads \
recorded exchanges of a real Casper 2.0.3 network instead. Nothing is attested then, and the values are test data.`

const help = `
It prints its progress on standard error, and what to try first on standard output. docs/demo.md has the rest. Its keys are in a
temporary folder, which is removed when it ends. After a SIGKILL, the next start removes it.

Environment:
${formatSettings(demoSettings)}

Exit codes: 0 stopped by a signal, 1 failed to start, or the server or the agent exited.`

/**
 * The agent of a member, which `demo --committee` starts. It signs at once, because the demo's chain is new. No setting makes
 * agents of other chains do that.
 */
const memberCommand = createAgentCommand({ isFreshChain: true }).hook('preAction', (command) => {
  if (process.env.CASPER_CHAIN_NAME !== CHAIN_NAME)
    command.error(`error: "demo agent" runs only on the demo's chain, ${CHAIN_NAME}; run "bun run agent"`)
})

export const demoCommand = createCommand('demo')
  .description(description)
  .usage('[options]')
  .option('--recorded', 'replay recorded exchanges instead of running a chain; only from source')
  .addOption(
    new Option('--committee', 'run five agents that attest together: four of five keys must sign').conflicts(
      'recorded',
    ),
  )
  .addHelpText('after', help)
  .helpCommand(false)
  .addCommand(memberCommand, { hidden: true })
  .action(async (options: DemoOptions, command: Command) => {
    if (options.recorded && !isFromSource)
      command.error(
        'error: --recorded needs the recordings, which are only in the repository; run "bun run demo --recorded" in a clone',
      )
    // All programs run on this machine, which a configured proxy cannot reach.
    process.env.NO_PROXY = '127.0.0.1,localhost'
    // Without an explicit exit, interrupted work would keep the process alive.
    process.exit(await runDemo(options))
  })

if (import.meta.main) await demoCommand.parseAsync()

interface DemoOptions {
  recorded?: boolean
  committee?: boolean
}

async function runDemo({ recorded = false, committee = false }: DemoOptions): Promise<number> {
  let isStopping = false
  const stopSignal = nextStopSignal().then(() => {
    isStopping = true
  })
  try {
    const settings = readDemoSettings(process.env)
    if (recorded) return await runRecordedDemo(settings, stopSignal)
    return await runLiveDemo(settings, stopSignal, { hasCommittee: committee })
  } catch (error) {
    // Errors during shutdown are expected.
    if (isStopping) return 0
    if (error instanceof ServerStartError) return error.exitCode
    for (const line of commandError(error).message.split('\n')) console.error(`demo: ${line}`)
    return 1
  }
}
