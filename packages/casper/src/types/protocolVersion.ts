/** A protocol version in a node's JSON, with its three numbers. */
export const PROTOCOL_VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/
