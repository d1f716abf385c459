/** Makes one JSON-RPC call by hand and returns the parsed reply. */
export async function callRpc(
  url: string,
  method: string,
  params?: unknown,
  id: unknown = 1,
): Promise<unknown> {
  const response = await postRpc(url, JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return response.json()
}

/** Posts a body to a JSON-RPC endpoint. */
export function postRpc(url: string, body: string, contentType = 'application/json'): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': contentType }, body })
}
