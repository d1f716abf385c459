import type { Protocol } from './protocol.ts'

/** The settings of a chain for which no others are asked. In a file of its own, so that all tests can run with others. */
export const defaultProtocol: Protocol = '2.2.2'
