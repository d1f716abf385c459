import { string, u8, u32, u64 } from '@wattfeed/testing/bytesrepr'

/** TransactionV1's `bytesrepr`, written independently of the SDK, from a transaction's JSON. All is hex. */
export interface PayloadJson {
  initiator_addr: { PublicKey: string }
  timestamp: string
  ttl: string
  chain_name: string
  pricing_mode: { PaymentLimited: { payment_amount: number; gas_price_tolerance: number } }
  fields: {
    args: { Named: [string, { bytes: string; cl_type: unknown }][] }
    target:
      | { Stored: { id: { ByPackageHash: { addr: string } } } }
      | { Session: { module_bytes: string; is_install_upgrade: boolean } }
    entry_point: { Custom: string } | 'Call'
  }
}

const size = (hex: string): number => hex.length / 2
const u16 = (value: number): string => u8(value & 255) + u8(value >> 8)
const bytes = (hex: string): string => u32(size(hex)) + hex

/** How the node lays out a struct: which field begins where, then all of them. */
function calltable(fields: readonly string[]): string {
  let offset = 0
  const heads = fields.map((field, index) => {
    const head = u16(index) + u32(offset)
    offset += size(field)
    return head
  })
  return u32(fields.length) + heads.join('') + u32(offset) + fields.join('')
}

const tags: Record<string, number> = {
  Bool: 0,
  U8: 3,
  U64: 5,
  U256: 7,
  U512: 8,
  String: 10,
  Key: 11,
  Any: 21,
}

function clType(type: unknown): string {
  if (typeof type === 'string') return u8(tags[type] ?? Number.NaN)
  const [[name, inner] = ['', null]] = Object.entries(Object(type))
  if (name === 'Option') return u8(13) + clType(inner)
  if (name === 'List') return u8(14) + clType(inner)
  return u8(15) + u32(Number(inner))
}

/** What the arguments take, with the byte that says they are named. */
export function namedArguments(args: PayloadJson['fields']['args']['Named']): string {
  const items = args.map(([name, value]) => string(name) + bytes(value.bytes) + clType(value.cl_type))
  return u8(0) + u32(args.length) + items.join('')
}

const runtime = calltable([u8(0)])

function target(json: PayloadJson['fields']['target']): string {
  if ('Session' in json) {
    const { module_bytes, is_install_upgrade } = json.Session
    return calltable([u8(2), u8(is_install_upgrade ? 1 : 0), runtime, bytes(module_bytes)])
  }
  const none = u8(0)
  return calltable([u8(1), calltable([u8(2), json.Stored.id.ByPackageHash.addr, none]), runtime])
}

const entryPoint = (json: PayloadJson['fields']['entry_point']): string =>
  json === 'Call' ? calltable([u8(0)]) : calltable([u8(1), string(json.Custom)])

function fields({ args, target: to, entry_point }: PayloadJson['fields']): string {
  const standard = calltable([u8(0)])
  const values = [namedArguments(args.Named), target(to), entryPoint(entry_point), standard]
  return u32(values.length) + values.map((value, index) => u16(index) + bytes(value)).join('')
}

/** The bytes whose BLAKE2b-256 is the transaction's hash. */
export function payloadBytes(payload: PayloadJson): string {
  const { payment_amount, gas_price_tolerance } = payload.pricing_mode.PaymentLimited
  const minutes = Number(/^(\d+)m$/.exec(payload.ttl)?.[1])
  return calltable([
    calltable([u8(0), payload.initiator_addr.PublicKey]),
    u64(Date.parse(payload.timestamp)),
    u64(minutes * 60_000),
    string(payload.chain_name),
    calltable([u8(0), u64(payment_amount), u8(gas_price_tolerance), u8(1)]),
    fields(payload.fields),
  ])
}
