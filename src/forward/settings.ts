import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { systemReason, urlSecrets } from '@wattfeed/base'
import { MAX_TIMER_MS } from 'wattfeed/internal'
import { logSettings } from '../runtime/log.ts'
import { parseSecretOption } from '../runtime/settings/option.ts'
import { type Environment, notSet, parseSettings, SettingsError } from '../runtime/settings/settings.ts'
import { httpUrl, path } from '../runtime/settings/textTypes.ts'
import { isNats, targetUrl, webhookSecret } from './textTypes.ts'

export const forwardSettings = Type.Object({
  FORWARD_FROM: Type.Optional(
    httpUrl({
      description:
        'the server, instead of --from; for a URL with a password, because others can see arguments',
    }),
  ),
  FORWARD_TO: Type.Optional(
    targetUrl({
      description: 'the target, instead of --to; for a secret URL, because others can see arguments',
      isSecret: true,
    }),
  ),
  FORWARD_SECRET: Type.Optional(
    webhookSecret({
      description: 'signs webhooks; the receiver needs it too',
      needed: {
        when: 'for a webhook',
        why: 'receivers verify the sender with it; create one with: echo "whsec_$(openssl rand -base64 32)"',
      },
      isSecret: true,
    }),
  ),
  NATS_CREDS: Type.Optional(path({ description: "file of a NATS user's credentials (.creds)" })),
  FORWARD_STATE_DIR: path({
    description: 'folder for the position, the dead letters and the lock; one forwarder per folder',
    default: '.wattfeed/forward',
  }),
  FORWARD_ATTEMPTS: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 12,
    description: 'attempts per webhook before it becomes a dead letter; 12 take about 20 minutes',
  }),
  FORWARD_TIMEOUT_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 15_000,
    description: 'time limit for an answer of the target',
  }),
  ...logSettings,
})

/** The options that may also be settings. */
export interface ForwardOptions {
  from?: string | undefined
  to?: string | undefined
  /** Whether dead letters are sent again, which needs no server. */
  replay?: boolean | undefined
}

export type ForwardSettings = ReturnType<typeof readForwardSettings>

/**
 * Reads the settings, and the options that may also be settings. An option takes precedence.
 *
 * @throws {SettingsError} with the faults of the settings, the first of the options, or everything that is missing.
 */
export function readForwardSettings(environment: Environment, options: ForwardOptions) {
  const { forwardFrom, forwardTo, ...settings } = parseSettings(forwardSettings, environment)
  const { properties } = forwardSettings
  const from =
    options.from === undefined
      ? forwardFrom
      : parseSecretOption('--from', properties.FORWARD_FROM, options.from)
  const to =
    options.to === undefined ? forwardTo : parseSecretOption('--to', properties.FORWARD_TO, options.to)
  const isReplay = options.replay === true

  const missing: string[] = []
  if (to !== null && !isNats(to) && settings.forwardSecret === null)
    missing.push(notSet('FORWARD_SECRET', properties.FORWARD_SECRET))
  if (from === null && !isReplay) missing.push('--from is missing: name the server, or set FORWARD_FROM')
  if (to === null) missing.push('--to is missing: name the target, or set FORWARD_TO')
  if (to === null || missing.length > 0) throw new SettingsError({ faults: missing })

  return {
    ...settings,
    /** Null to send dead letters again. */
    from: isReplay ? null : from,
    to,
    /** Empty for NATS. */
    forwardSecret: settings.forwardSecret ?? '',
    natsCreds: readCreds(settings.natsCreds),
  }
}

function readCreds(file: string | null): Uint8Array | null {
  try {
    return file === null ? null : readFileSync(file)
  } catch (error) {
    throw new SettingsError({
      faults: [
        `NATS_CREDS is ${JSON.stringify(file)}: it cannot be read (${systemReason(error)}); name a file that this user can read`,
      ],
    })
  }
}

/** Returns all secrets in the settings. */
export const forwardSecrets = ({ from, to, forwardSecret }: ForwardSettings): string[] => [
  ...(from === null ? [] : urlSecrets(from)),
  ...urlSecrets(to.href),
  ...(to.pathname === '/' ? [] : [to.pathname]),
  forwardSecret,
  forwardSecret.replace('whsec_', ''),
]
