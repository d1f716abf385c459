import { Type } from '@sinclair/typebox'
import { withOptions } from './settings.ts'
import { word } from './textTypes.ts'

export const listenSettings = {
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 4030,
    description: 'where to listen; 0 takes a free port',
  }),
  HOST: word('an address or host name', { default: '0.0.0.0', description: 'address to listen on' }),
}

export const devnetSettings = Type.Object({
  DEVNET_PORT: withOptions(listenSettings.PORT, { default: 11_101 }),
})
