import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import { ALLOWED_METHODS, commonHeaders } from './headers.ts'
import { hidden } from './pages.ts'

/**
 * Responds to OPTIONS requests with 204 on every path.
 *
 * The CORS plugin runs in a separate app, so that these requests are logged and counted like all others. With `origin: false`, it
 * neither sets `Vary: *` nor echoes the origin.
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

export const preflight = new Elysia({ name: 'preflight' })
  .options('/', ({ request }) => answers.handle(request), hidden)
  .options('/*', ({ request }) => answers.handle(request), hidden)
