import { API_VERSION } from './apiVersion.ts'
import { methods } from './methods.ts'

/** `rpc.discover`: which methods there are, as an OpenRPC document. */
export function discover(): object {
  return {
    name: 'OpenRPC Schema',
    schema: {
      openrpc: '1.0.0-rc1',
      info: {
        version: API_VERSION,
        title: 'Devnet of wattfeed: JSON-RPC interface of a Casper node',
        description: 'What this development chain answers. Every other method is unknown to it.',
      },
      methods: [...methods].map(([name, { params }]) => ({
        name,
        params: params.map((each) => ({ name: each, schema: {} })),
        result: { name: `${name}_result`, schema: {} },
      })),
    },
  }
}
