import { addDevnetCommand } from '@wattfeed/casper-devnet/internal'
import { createCommand } from './runtime/createCommand.ts'
import { devnetSettings } from './runtime/settings/listenSettings.ts'
import { misspelt, SettingsError } from './runtime/settings/settings.ts'
import { nextStopSignal } from './runtime/stopSignal.ts'

export const devnetCommand = addDevnetCommand(createCommand('devnet'), {
  untilStopped: nextStopSignal,
  checkEnvironment() {
    const faults = misspelt(process.env, devnetSettings)
    if (faults.length > 0) throw new SettingsError({ faults })
  },
})

if (import.meta.main) await devnetCommand.parseAsync()
