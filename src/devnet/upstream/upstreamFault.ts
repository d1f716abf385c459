/** One way in which an upstream answers badly. */
export type UpstreamFault = () => Response | Promise<Response>

/** A whole answer of any kind. @default status 200, JSON */
export const answerWith =
  (
    body: string,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) =>
  (): Response =>
    new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
