import type { RpcMethod } from './methods.ts'

/** Parameters that a call may leave out, in every method that has them. */
const optionalParams: ReadonlySet<string> = new Set([
  'block_identifier',
  'state_identifier',
  'era_identifier',
  'delegator',
  'path',
  'finalized_approvals',
  'include_bytecode',
  'blocks',
])

/** `rpc.discover`: the methods as an OpenRPC document with the fields that clients of a node expect, but without schemas. */
export function discover(version: string, methods: ReadonlyMap<string, RpcMethod>): object {
  return {
    name: 'OpenRPC Schema',
    schema: {
      openrpc: '1.0.0-rc1',
      info: {
        version,
        title: 'Devnet of wattfeed: JSON-RPC interface of a Casper node',
        description: 'The methods of this development chain. All others are unknown.',
        contact: { name: 'the wattfeed authors', url: 'https://github.com/wattfeed/wattfeed' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ name: 'this development chain', url: 'http://IP:PORT/rpc/' }],
      methods: [...methods].map(([name, { summary, params }]) => ({
        name,
        summary,
        params: inOrder(params),
        result: { name: `${name}_result`, schema: {} },
        examples: [],
      })),
      components: { schemas: {} },
    },
  }
}

/** OpenRPC lists required parameters first. */
function inOrder(params: readonly string[]): object[] {
  const isRequired = (name: string): boolean => !optionalParams.has(name)
  const sorted = [...params.filter(isRequired), ...params.filter((name) => !isRequired(name))]
  return sorted.map((name) => ({ name, schema: {}, required: isRequired(name) }))
}
