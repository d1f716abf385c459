import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { MAX_LOOK_BACK } from '../../feeds/file/feedConfig.ts'
import { logSettings } from '../../runtime/log.ts'
import { eiaSettings } from '../../runtime/settings/eiaSettings.ts'
import { listenSettings } from '../../runtime/settings/listenSettings.ts'
import {
  type CommandNeeds,
  neededFor,
  payerSettings,
  senderSettings,
} from '../../runtime/settings/payerSettings.ts'
import {
  type Environment,
  parseSettings,
  type SettingValues,
  settingSecrets,
  withOptions,
} from '../../runtime/settings/settings.ts'
import { hostAndPort, path, textOf } from '../../runtime/settings/textTypes.ts'
import { verificationSettings } from '../../runtime/settings/verificationSettings.ts'
import { ATTEST_MANY_PAYMENT_MOTES, ATTEST_PAYMENT_MOTES } from '../plan/attestCall.ts'

/** Maximum number of missed periods of a feed that a cycle attests. */
const MAX_CATCH_UP = 100

export const agentSettings = Type.Object({
  EIA_API_KEY: eiaSettings.EIA_API_KEY,
  ...senderSettings,
  EIA_BASE_URL: eiaSettings.EIA_BASE_URL,
  EIA_RPS: eiaSettings.EIA_RPS,
  FEEDS_FILE: Type.Optional(
    path({ description: 'the feeds file', defaultText: 'the feeds that come with wattfeed' }),
  ),
  CATCH_UP: Type.Integer({
    minimum: 0,
    maximum: MAX_CATCH_UP,
    default: MAX_CATCH_UP,
    description: 'how many missed periods of a feed a cycle attests before the newest one; 0 for none',
  }),
  LOOK_BACK: Type.Integer({
    minimum: 0,
    maximum: MAX_LOOK_BACK,
    default: 0,
    description:
      "how many periods before the chain's newest are compared with EIA, and attested again if EIA has revised them; a feed's look_back overrides it",
  }),
  ARCHIVE_FILE: Type.Optional(
    path({
      description: 'SQLite database that stores the hashed source of each attested value',
      defaultText: 'nothing is archived',
    }),
  ),
  DATASETS_DIR: Type.Optional(
    path({
      description:
        'folder for snapshots of datasets, about 350 bytes a value each, in a folder for each feed',
      defaultText: '`datasets` in AGENT_STATE_DIR',
    }),
  ),
  KEEP_SNAPSHOTS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2,
    description: 'how many snapshots of each dataset stay there; older ones are removed, or archived',
  }),
  KEEP_ARCHIVED: textOf(
    'a whole number from 0 to 1000000, or all',
    (text) => {
      if (text === 'all') return null
      const count = Number(text)
      return /^\d{1,7}$/.test(text) && count <= 1_000_000 ? count : undefined
    },
    {
      default: '0',
      description:
        'how many older snapshots of each dataset stay as differences in an archive beside the others, or `all`',
    },
  ),
  ...payerSettings,
  PAYMENT_MOTES: withOptions(payerSettings.PAYMENT_MOTES, {
    defaultText: `${ATTEST_PAYMENT_MOTES}, a batch ${ATTEST_MANY_PAYMENT_MOTES}`,
  }),
  AGENT_HOST: withOptions(listenSettings.HOST, {
    description: 'address to listen on for /metrics and /health',
    // Only this machine needs it, and its reasons contain feeds and errors.
    default: '127.0.0.1',
  }),
  AGENT_PORT: withOptions(listenSettings.PORT, { default: 4031 }),
  COMMITTEE_PEERS: Type.Optional(
    path({
      description: 'members file of the committee that signs together, with an address for each member',
      defaultText: 'the key signs alone',
    }),
  ),
  COMMITTEE_LISTEN: hostAndPort({
    description: 'host:port to listen on for the other members; put TLS in front',
    default: '127.0.0.1:4032',
  }),
  ...logSettings,
  ...verificationSettings,
})

/** The settings of the agent. A key is null if it is neither set nor needed. */
export type AgentSettings = SettingValues<typeof agentSettings.properties>

/** The settings of what attests: of the agent, and of the commands that do its work once. They neither listen nor log. */
export type AttesterSettings = Omit<AgentSettings, 'agentHost' | 'agentPort' | 'logLevel'>

/** Reads the settings. @throws {SettingsError} with every fault. */
export const readAgentSettings = (environment: Environment, needs: CommandNeeds): AgentSettings =>
  parseSettings(agentSettings, environment, neededFor(needs))

/** The folder for snapshots of datasets. */
export const datasetsFolder = ({
  datasetsDir,
  agentStateDir,
}: Pick<AgentSettings, 'datasetsDir' | 'agentStateDir'>): string =>
  datasetsDir ?? join(agentStateDir, 'datasets')

export const agentSecrets = (settings: AgentSettings): string[] => settingSecrets(agentSettings, settings)
