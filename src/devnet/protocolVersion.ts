/** Major, minor and patch of the protocol that the chain runs. */
export const protocolVersion: readonly [number, number, number] = [2, 0, 0]
