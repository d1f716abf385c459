import type { SchemaOptions } from '@sinclair/typebox'
import { POSITION_RULE } from 'wattfeed/internal'
import { parsePosition } from 'wattfeed/live'
import { textOf } from '../runtime/settings/textTypes.ts'

/** The URL of a target. Errors never show any part of it. */
export const targetUrl = (options: SchemaOptions) =>
  textOf(
    'a URL that starts with https:// (http:// only to this machine), or nats:// or tls:// for NATS',
    (text): URL | undefined => {
      if (!URL.canParse(text)) return undefined
      const url = new URL(text)
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
      return isNats(url) && url.hostname !== '' && /^\/?$/.test(url.pathname) && url.search === ''
        ? url
        : undefined
    },
    options,
  )

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Returns whether a target is a NATS server. */
export const isNats = ({ protocol }: URL): boolean => protocol === 'nats:' || protocol === 'tls:'

/** A position of the stream. */
export const positionText = textOf(POSITION_RULE, (text) => (parsePosition(text) === null ? undefined : text))

/** The secret of webhooks, by the rules of Standard Webhooks. */
export const webhookSecret = (options: SchemaOptions) =>
  textOf(
    'whsec_ followed by 24 to 64 bytes in Base64',
    (text) => {
      const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? ''
      const bytes = Buffer.from(base64, 'base64')
      return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64
        ? text
        : undefined
    },
    options,
  )
