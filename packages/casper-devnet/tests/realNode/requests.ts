import type { DevnetEndpoint } from '../../src/rpc/startDevnet.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'chain_get_state_root_hash' }
const json = { 'content-type': 'application/json' }

const post = (body: unknown, headers: Record<string, string> = json): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

interface RawRequest extends RequestInit {
  path?: string
}

/** The requests that the recording only describes by name. */
const requests: Readonly<Record<string, RawRequest>> = {
  'raw unknown method': post({ ...call, method: 'no_such_method' }),
  'raw invalid json': post('{'),
  'raw empty body': post(''),
  'raw batch': post([call]),
  'raw no id': post({ ...call, id: undefined }),
  'raw id null': post({ ...call, id: null }),
  'raw id string': post({ ...call, id: 'a' }),
  'raw id float': post({ ...call, id: 1.5 }),
  'raw id object': post({ ...call, id: {} }),
  'raw no jsonrpc': post({ ...call, jsonrpc: undefined }),
  'raw jsonrpc 1.0': post({ ...call, jsonrpc: '1.0' }),
  'raw no method': post({ ...call, method: undefined }),
  'raw extra field': post({ ...call, foo: 1 }),
  'raw params string': post({ ...call, params: 'x' }),
  'raw params null': post({ ...call, params: null }),
  'raw no content type': { method: 'POST', body: new Blob([JSON.stringify(call)]) },
  'raw text type': post(call, { 'content-type': 'text/plain' }),
  'raw GET': {},
  'raw wrong path': { ...post(call), path: '/nope' },
  'raw root path': { ...post(call), path: '/' },
  'raw OPTIONS': {
    method: 'OPTIONS',
    headers: {
      origin: 'http://x',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  },
  'raw huge': post(' '.repeat(2_621_441)),
}

/** Sends the request of that name, and returns the part of its answer that the recording has. */
export async function sendRaw({ url }: DevnetEndpoint, name: string): Promise<unknown> {
  const { path = '/rpc', ...init } = requests[name] ?? {}
  const response = await fetch(new URL(path, url), init)
  const text = await response.text()
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    type,
    cors: response.headers.get('access-control-allow-origin'),
    body: type === null ? text : JSON.parse(text),
  }
}
