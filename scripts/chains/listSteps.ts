import { accountKeySteps } from './steps/accountKeys.ts'
import { callSteps } from './steps/calls.ts'
import { cryptoSteps } from './steps/crypto.ts'
import { deploySteps } from './steps/deploys.ts'
import { informationSteps } from './steps/information.ts'
import { installSteps } from './steps/installs.ts'
import { memorySteps } from './steps/memory.ts'
import { messageSteps } from './steps/messages.ts'
import { nameSteps } from './steps/names.ts'
import { packageSteps } from './steps/packages.ts'
import { inOneBlock, paymentSteps } from './steps/payments.ts'
import { purseSteps } from './steps/purses.ts'
import type { Step } from './steps/step.ts'
import { systemSteps } from './steps/systemContracts.ts'
import { unusualSteps } from './steps/unusual.ts'
import { urefSteps } from './steps/urefs.ts'
import { valueSteps } from './steps/values.ts'
import { vaultSteps } from './steps/vault.ts'

const steps: readonly Step[] = [
  ...installSteps,
  ...valueSteps,
  ...nameSteps,
  ...informationSteps,
  ...callSteps,
  ...packageSteps,
  ...messageSteps,
  ...cryptoSteps,
  ...purseSteps,
  ...systemSteps,
  ...urefSteps,
  ...accountKeySteps,
  ...paymentSteps,
  ...deploySteps,
  ...memorySteps,
  ...unusualSteps,
  ...vaultSteps,
]

/** The steps of each block, in order: later ones use what earlier ones made. */
export const blocks: readonly (readonly Step[])[] = [...steps.map((step) => [step]), inOneBlock]
