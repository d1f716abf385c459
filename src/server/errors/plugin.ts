import { Elysia } from 'elysia'
import { eiaErrorBody } from '../eia/eiaErrors.ts'
import { EIA_PATH } from '../eia/eiaPath.ts'
import { EMBED_PATH, embedErrorResponse } from '../embed/embedErrorPage.ts'
import { errorAnswer, logError } from '../errorAnswer.ts'
import { type EndpointOf, noEndpointError, UnknownPathError, urlPath } from '../http/paths.ts'
import type { Server } from '../server.ts'
import { mayBePage, unknownPageResponse } from './unknownPage.ts'

/** Converts errors to responses, and logs those that the caller did not cause. */
export const errors = ({ log, notice }: Pick<Server, 'log' | 'notice'>, endpointOf: EndpointOf) =>
  new Elysia({ name: 'errors' }).onError({ as: 'global' }, async ({ code, error, request, set }) => {
    const cause = code === 'NOT_FOUND' ? noEndpointError(request, endpointOf) : error
    const { status, headers, body } = errorAnswer(cause)
    logError(log, cause)
    set.status = status
    const path = urlPath(request.url)
    if (path.startsWith(EMBED_PATH)) return embedErrorResponse({ status, headers, body })
    if (path.startsWith(EIA_PATH)) {
      set.headers = { ...headers }
      return eiaErrorBody(status, body.error)
    }
    const isUnknown = cause instanceof UnknownPathError
    const page = isUnknown ? await unknownPageResponse(request, headers, notice) : null
    if (page !== null) {
      // For the log, which does not see the response to an error.
      set.status = page.status
      return page
    }
    set.headers = isUnknown && mayBePage(request) ? { ...headers, vary: 'Accept' } : { ...headers }
    return body
  })
