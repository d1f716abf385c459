/** What of an HTTP request says whether it is a call. */
export interface RpcHttpRequest {
  /** Without the query. */
  path: string | undefined
  method: string | undefined
  contentType: string | null | undefined
}

/** The status that casper-node refuses a request with that is no `POST` of JSON to `/rpc`, or null. */
export function refusalStatus({ path, method, contentType }: RpcHttpRequest): number | null {
  if (path !== '/rpc') return 404
  if (method !== 'POST') return 405
  if (contentType === undefined || contentType === null) return 400
  return contentType.toLowerCase() === 'application/json' ? null : 415
}
