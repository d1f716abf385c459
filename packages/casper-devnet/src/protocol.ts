/**
 * A release whose settings a chain can have. `2.2.2` are those of the public test network, `2.0.3` those of a network of
 * casper-node 2.0.3, whose blocks have the protocol 2.0.0.
 */
export type Protocol = '2.2.2' | '2.0.3'

/** The protocol to which a chain upgrades. */
export const newestProtocol: Protocol = '2.2.2'

/** All values of {@link Protocol}, newest first. */
export const protocols: readonly Protocol[] = [newestProtocol, '2.0.3']
