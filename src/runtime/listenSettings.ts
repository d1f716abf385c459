import { integer, word } from './parsers.ts'

/** Where a program listens: the same settings in every program. */
export const listenSettings = {
  port: {
    name: 'PORT',
    meaning: 'where to listen; 0 takes a free port',
    parse: integer(0, 65_535),
    default: 4030,
  },
  host: {
    name: 'HOST',
    meaning: 'address to listen on',
    parse: word('an address or host name'),
    default: '0.0.0.0',
  },
} as const

/** Where an embedded chain listens. */
export const devnetPort = { ...listenSettings.port, name: 'DEVNET_PORT', default: 11_101 } as const
