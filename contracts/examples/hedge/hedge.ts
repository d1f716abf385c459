/**
 * Installs a hedge, deposits in it, settles it, or returns the deposits: `bun hedge.ts`. It sends to the node of `CASPER_RPC_URL`, on
 * the chain `CASPER_CHAIN_NAME`.
 */
import {
  Args,
  CLTypeByteArray,
  CLValue,
  CLValueParser,
  ContractCallBuilder,
  HttpHandler,
  Key,
  KeyAlgorithm,
  PrivateKey,
  PurseIdentifier,
  RpcClient,
  SessionBuilder,
  type Transaction,
} from 'casper-js-sdk'

/** The arguments of the installation. Accounts and packages are in the node's format, such as `account-hash-…` and `hash-…`. */
export interface Terms {
  feed_registry: string
  attestation_registry: string
  /** Seed of the AttestationRegistry's fields, 64 hex digits; null to read by calls. */
  seed: string | null
  attester: string
  stateid: string
  sectorid: string
  month: string
  long: string
  short: string
  /** In hundredths of a cent per kilowatt-hour. */
  strike: number
  motes_per_step: string
  deposit: string
  /** In ISO 8601. */
  deposit_until: string
  /** In ISO 8601. */
  settle_until: string
}

/** The proof as `createContractProof` and `wattfeed series arguments --json` name it. */
export type ProofArguments = readonly (readonly [
  string,
  { readonly cl_type: unknown; readonly bytes: string },
])[]

/** Who sends, and where to. */
export interface Sender {
  rpcUrl: string
  chainName: string
  key: PrivateKey
}

const PACKAGE_KEY = 'Hedge_package_hash'

/** The contract's errors, from 1 on. */
const ERRORS = [
  'ImpossibleTerms',
  'NotAParty',
  'OtherAmount',
  'AlreadyDeposited',
  'TooLate',
  'DepositMissing',
  'AlreadyOver',
  'TooEarly',
]

// A quarter of what is not consumed is lost, and all if the transaction fails. An installation consumes 225 CSPR. The first deposit
// consumes 5.9, most of it for two new purses, and a settlement 5.4, most of it for two transfers.
const INSTALL_MOTES = 300_000_000_000
const CALL_MOTES = 7_000_000_000

/** Installs a hedge that nobody can upgrade, and returns the hash of its package: 64 hex digits. @throws if the terms are wrong. */
export async function install(sender: Sender, terms: Terms): Promise<string> {
  const { key, chainName } = sender
  if (!Number.isSafeInteger(terms.strike))
    throw new Error(`strike ${terms.strike}: it counts hundredths of a cent, so that 27.05 cents are 2705`)
  const session = new SessionBuilder()
    .wasm(await wasm('Hedge'))
    .installOrUpgrade()
    .runtimeArgs(installArguments(terms))
  await send(sender, session.from(key.publicKey).chainName(chainName).payment(INSTALL_MOTES).build())
  const account = await rpcOf(sender).queryLatestGlobalState(accountOf(sender), [])
  const named = account.storedValue.account?.namedKeys.find(({ name }) => name === PACKAGE_KEY)
  return `${named?.key}`.replace('hash-', '')
}

/** Deposits motes. Odra takes them from a purse, which only code of the sender can fill: `bin/deposit.rs`. */
export async function deposit(sender: Sender, hedge: string, motes: string): Promise<void> {
  const { key, chainName } = sender
  const args = {
    hedge: CLValue.newCLByteArray(Uint8Array.fromHex(hedge)),
    amount: CLValue.newCLUInt512(motes),
  }
  const session = new SessionBuilder().wasm(await wasm('deposit')).runtimeArgs(Args.fromMap(args))
  await send(sender, session.from(key.publicKey).chainName(chainName).payment(CALL_MOTES).build())
}

/** Pays out by a proof. */
export async function settle(sender: Sender, hedge: string, proof: ProofArguments): Promise<void> {
  const args = proof.map(([name, value]) => [name, CLValueParser.fromJSON(value)] as const)
  await call(sender, hedge, 'settle', Object.fromEntries(args))
}

/** Returns the deposits after a deadline. */
export const refund = (sender: Sender, hedge: string): Promise<void> => call(sender, hedge, 'refund')

/** Returns the account in the node's format. */
export const accountOf = ({ key }: Sender): string => key.publicKey.accountHash().toPrefixedString()

/** Returns the balance in motes. */
export async function balanceOf(sender: Sender): Promise<bigint> {
  const purse = PurseIdentifier.fromPublicKey(sender.key.publicKey)
  return BigInt(`${(await rpcOf(sender).queryLatestBalance(purse)).balance}`)
}

async function call(sender: Sender, hedge: string, entryPoint: string, args = {}): Promise<void> {
  const { key, chainName } = sender
  const builder = new ContractCallBuilder()
    .byPackageHash(hedge)
    .entryPoint(entryPoint)
    .runtimeArgs(Args.fromMap(args))
  await send(sender, builder.from(key.publicKey).chainName(chainName).payment(CALL_MOTES).build())
}

function installArguments(terms: Terms): Args {
  const key = (formatted: string): CLValue => CLValue.newCLKey(Key.newKey(formatted))
  const time = (text: string): CLValue => {
    const ms = Date.parse(text)
    if (!(ms > Date.now())) throw new Error(`deadline ${text}: expected a future time such as 2027-01-31T12:00:00Z`)
    return CLValue.newCLUint64(ms)
  }
  const seed = terms.seed === null ? null : CLValue.newCLByteArray(Uint8Array.fromHex(terms.seed))
  return Args.fromMap({
    odra_cfg_is_upgradable: CLValue.newCLValueBool(false),
    odra_cfg_is_upgrade: CLValue.newCLValueBool(false),
    odra_cfg_allow_key_override: CLValue.newCLValueBool(true),
    odra_cfg_package_hash_key_name: CLValue.newCLString(PACKAGE_KEY),
    feed_registry: key(terms.feed_registry),
    attestation_registry: key(terms.attestation_registry),
    seed: CLValue.newCLOption(seed, new CLTypeByteArray(32)),
    attester: key(terms.attester),
    stateid: CLValue.newCLString(terms.stateid),
    sectorid: CLValue.newCLString(terms.sectorid),
    month: CLValue.newCLString(terms.month),
    long: key(terms.long),
    short: key(terms.short),
    strike: CLValue.newCLInt64(terms.strike),
    motes_per_step: CLValue.newCLUInt512(terms.motes_per_step),
    deposit: CLValue.newCLUInt512(terms.deposit),
    deposit_until: time(terms.deposit_until),
    settle_until: time(terms.settle_until),
  })
}

/** Sends a transaction and waits for its block. @throws if it fails, with the node's message and the error's name. */
async function send(sender: Sender, transaction: Transaction): Promise<void> {
  transaction.sign(sender.key)
  const rpc = rpcOf(sender)
  await rpc.putTransaction(transaction)
  const { executionInfo } = await rpc.waitForTransaction(transaction)
  const message = executionInfo?.executionResult.errorMessage
  if (message) throw new Error(named(message))
}

/** `User error: 5` becomes `User error: 5 (TooLate)`. */
function named(message: string): string {
  const name = ERRORS[Number(/^User error: (\d+)$/.exec(message)?.[1]) - 1]
  return name === undefined ? message : `${message} (${name})`
}

const rpcOf = ({ rpcUrl }: Sender): RpcClient => new RpcClient(new HttpHandler(rpcUrl, 'fetch'))

const wasm = (name: string): Promise<Uint8Array> =>
  Bun.file(new URL(`wasm/${name}.wasm`, import.meta.url)).bytes()

/** The settings of the demo's file, or of the node that you use. */
function setting(name: string): string {
  const { [name]: value = '' } = process.env
  if (value === '') throw new Error(`${name} is not set: source the demo's demo.env, or set it to that of your node`)
  return value
}

async function readArguments(path: string): Promise<ProofArguments> {
  const { arguments: proof } = await Bun.file(path).json()
  if (!Array.isArray(proof)) throw new Error(`${path}: expected what "wattfeed series arguments --json" prints`)
  return proof
}

const USAGE = `bun hedge.ts <key.pem> account
bun hedge.ts <key.pem> balance
bun hedge.ts <key.pem> install <terms.json>
bun hedge.ts <key.pem> deposit <hedge> <motes>
bun hedge.ts <key.pem> settle <hedge> <arguments.json>
bun hedge.ts <key.pem> refund <hedge>`

async function main([keyPath, command, first = '', second = '']: string[]): Promise<string> {
  if (keyPath === undefined) return USAGE
  const sender = {
    rpcUrl: setting('CASPER_RPC_URL'),
    chainName: setting('CASPER_CHAIN_NAME'),
    key: PrivateKey.fromPem(await Bun.file(keyPath).text(), KeyAlgorithm.ED25519),
  }
  const hedge = first.replace(/^hash-/, '')
  switch (command) {
    case 'account':
      return accountOf(sender)
    case 'balance':
      break
    case 'install':
      return install(sender, await Bun.file(first).json())
    case 'deposit':
      await deposit(sender, hedge, second)
      break
    case 'settle':
      await settle(sender, hedge, await readArguments(second))
      break
    case 'refund':
      await refund(sender, hedge)
      break
    default:
      return USAGE
  }
  return `${accountOf(sender)} has ${await balanceOf(sender)} motes`
}

if (import.meta.main)
  await main(process.argv.slice(2)).then(console.log, (error) => {
    console.error(`error: ${error.message}`)
    process.exitCode = 1
  })
