import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { ALLOWED_METHODS, commonHeaders } from '../headers.ts'

/**
 * Answers OPTIONS requests: 204 on every path.
 *
 * The plugin handles them in an app of its own, so that they are logged and counted as all others. With `origin: false` it
 * neither sets `Vary: *` nor echoes the caller's origin.
 */
const answers = new Elysia({ name: 'cors' }).headers({ ...commonHeaders, allow: ALLOWED_METHODS }).use(
  cors({
    origin: false,
    methods: ALLOWED_METHODS,
    allowedHeaders: '*',
    exposeHeaders: commonHeaders['access-control-expose-headers'],
    credentials: false,
    maxAge: 86_400,
  }),
)

/** `OPTIONS` of every path. */
export const preflight = new Elysia({ name: 'preflight' })
  .options('/', ({ request }) => answers.handle(request), { detail: { hide: true } })
  .options('/*', ({ request }) => answers.handle(request), { detail: { hide: true } })
