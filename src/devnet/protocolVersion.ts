export const protocolVersion: readonly [number, number, number] = [2, 0, 0]
