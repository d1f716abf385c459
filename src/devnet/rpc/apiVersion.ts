/** Of the JSON-RPC interface that is spoken. */
export const API_VERSION = '2.0.0'
