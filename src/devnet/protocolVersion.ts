/** Major, minor and patch of the chain's protocol. */
export const protocolVersion: readonly [number, number, number] = [2, 0, 0]
