import { BlockList, isIPv6 } from 'node:net'

/** Where a reverse proxy may be: on this machine or in a private network. */
const proxies = new BlockList()
proxies.addSubnet('127.0.0.0', 8)
proxies.addSubnet('10.0.0.0', 8)
proxies.addSubnet('172.16.0.0', 12)
proxies.addSubnet('192.168.0.0', 16)
proxies.addAddress('::1', 'ipv6')
proxies.addSubnet('fc00::', 7, 'ipv6')

/**
 * Returns the address that sent a request. A reverse proxy in the same network has appended it to `X-Forwarded-For`; what
 * precedes it there may be invented.
 *
 * @param socketAddress the other end of the connection
 */
export function remoteAddressOf({ headers }: Request, socketAddress: string): string {
  const address = socketAddress.replace(/^::ffff:(?=\d+\.)/, '')
  const isProxy = proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  const forwarded = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  return isProxy && forwarded !== undefined && forwarded !== '' ? forwarded : address
}
