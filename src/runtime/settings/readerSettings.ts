import { createCheckpointFile } from '../checkpointFile.ts'
import type { Log } from '../log.ts'
import type { callSettings, chainSettings } from './chainSettings.ts'
import type { SettingValues } from './settings.ts'
import type { verificationSettings } from './verificationSettings.ts'

/** The settings of a program that reads the registries. */
export type ReaderSettings = SettingValues<
  typeof chainSettings & typeof callSettings & typeof verificationSettings
>

/** The deadline of a call with all its attempts, in timeouts of one attempt. */
export const DEADLINE_TIMEOUTS = 3

/** Returns settings as the library names them. @param log where failed writes of `CHECKPOINT_FILE` are logged */
export const clientOptions = (settings: ReaderSettings, log?: Log) => ({
  rpcUrls: settings.casperRpcUrl,
  ...(settings.casperRpcAuthorization === null ? {} : { rpcAuthorization: settings.casperRpcAuthorization }),
  chainName: settings.casperChainName,
  feedRegistryPackageHash: settings.feedRegistryPackageHash,
  attestationRegistryPackageHash: settings.attestationRegistryPackageHash,
  timeoutMs: settings.rpcTimeoutMs,
  deadlineMs: DEADLINE_TIMEOUTS * settings.rpcTimeoutMs,
  retryAfterMaxMs: settings.rpcRetryAfterMaxMs,
  concurrency: settings.rpcConcurrency,
  verify: settings.verify,
  maxHeadAgeMs: settings.maxHeadAgeMs,
  requireAbsenceProof: settings.requireAbsenceProof,
  ...(settings.trustedBlockHash === null ? {} : { trustedBlockHash: settings.trustedBlockHash }),
  ...(settings.checkpointFile === null
    ? {}
    : { checkpoint: createCheckpointFile(settings.checkpointFile, log) }),
})
