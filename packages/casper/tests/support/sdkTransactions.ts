import {
  Args,
  CLValue,
  ContractCallBuilder,
  ContractHash,
  Deploy,
  DeployHeader,
  Duration,
  ExecutableDeployItem,
  KeyAlgorithm,
  PrivateKey,
  SessionBuilder,
  StoredContractByHash,
  StoredContractByName,
  StoredVersionedContractByHash,
  StoredVersionedContractByName,
  Timestamp,
  type Transaction,
} from 'casper-js-sdk'
import { secretHex } from './keys.ts'

/** Keys of both kinds, and the transactions that casper-js-sdk makes with them. */
export const keys = {
  ed25519: PrivateKey.fromHex(secretHex.ed25519, KeyAlgorithm.ED25519),
  secp256k1: PrivateKey.fromHex(secretHex.secp256k1, KeyAlgorithm.SECP256K1),
} as const

export const CHAIN_NAME = 'casper-devnet'
export const NOW = 1_800_000_000_000
const contractHash = 'c1'.repeat(32)

const args = (): Args =>
  Args.fromMap({
    text: CLValue.newCLString('MWh'),
    number: CLValue.newCLUInt512('1000000000000'),
    flag: CLValue.newCLOption(CLValue.newCLValueBool(true)),
    bytes: CLValue.newCLByteArray(new Uint8Array(32).fill(7)),
  })

/** The contract reference of a call. */
export const calls: Readonly<Record<string, (builder: ContractCallBuilder) => ContractCallBuilder>> = {
  'package hash': (builder) => builder.byPackageHash(contractHash),
  'package hash and version': (builder) => builder.byPackageHash(contractHash, 3),
  'package hash and protocol': (builder) => builder.byPackageHash(contractHash, undefined, 2),
  'package hash, version and protocol': (builder) => builder.byPackageHash(contractHash, 3, 2),
  'contract hash': (builder) => builder.byHash(contractHash),
  'contract name': (builder) => builder.byName('counter'),
  'package name': (builder) => builder.byPackageName('counter_package', 2),
  'package name, version and protocol': (builder) => builder.byPackageName('counter_package', 2, 1),
}

/** A signed call of a stored contract. */
export function signedCall(by: keyof typeof calls, key: PrivateKey = keys.ed25519): Transaction {
  const make = calls[by] ?? ((builder: ContractCallBuilder) => builder)
  const transaction = make(new ContractCallBuilder())
    .entryPoint('increment')
    .from(key.publicKey)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(NOW)))
    .payment(3_000_000_000, 1)
    .runtimeArgs(args())
    .build()
  transaction.sign(key)
  return transaction
}

/** A signed session; `isInstall` marks it as an installation. */
export function signedSession(
  wasm: Uint8Array,
  isInstall: boolean,
  key: PrivateKey = keys.ed25519,
): Transaction {
  const builder = new SessionBuilder().wasm(wasm)
  if (isInstall) builder.installOrUpgrade()
  const transaction = builder
    .from(key.publicKey)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(NOW)))
    .payment(isInstall ? 100_000_000_000 : 5_000_000_000, 1)
    .runtimeArgs(args())
    .build()
  transaction.sign(key)
  return transaction
}

const item = (change: (item: ExecutableDeployItem) => void): ExecutableDeployItem => {
  const made = new ExecutableDeployItem()
  change(made)
  return made
}

/** A deploy's session that calls a contract by its hash. */
export const callByHash = (): ExecutableDeployItem =>
  item((made) => {
    made.storedContractByHash = new StoredContractByHash(
      ContractHash.newContract(contractHash),
      'increment',
      args(),
    )
  })

/** A deploy's session with its own code. */
export const moduleSession = (): ExecutableDeployItem =>
  ExecutableDeployItem.newModuleBytes(Uint8Array.of(0, 97, 115, 109), args())

/** Sessions of deploys, in every form. */
export const deploySessions: Readonly<Record<string, () => ExecutableDeployItem>> = {
  'module bytes': moduleSession,
  'contract by hash': callByHash,
  'contract by name': () =>
    item((made) => {
      made.storedContractByName = new StoredContractByName('counter', 'increment', args())
    }),
  'package by hash': () =>
    item((made) => {
      made.storedVersionedContractByHash = new StoredVersionedContractByHash(
        ContractHash.newContract(contractHash),
        'increment',
        args(),
        1,
      )
    }),
  'package by name': () =>
    item((made) => {
      made.storedVersionedContractByName = new StoredVersionedContractByName(
        'counter_package',
        'increment',
        args(),
        1,
      )
    }),
}

/** A signed legacy deploy. */
export function signedDeploy(
  session: ExecutableDeployItem,
  options: { key?: PrivateKey; payment?: ExecutableDeployItem; ttlMs?: number; gasPrice?: number } = {},
): Deploy {
  const { key = keys.ed25519, payment = ExecutableDeployItem.standardPayment('3000000000') } = options
  const header = DeployHeader.default()
  header.account = key.publicKey
  header.chainName = CHAIN_NAME
  header.timestamp = new Timestamp(new Date(NOW))
  header.ttl = new Duration(options.ttlMs ?? 1_800_000)
  if (options.gasPrice !== undefined) header.gasPrice = options.gasPrice
  const deploy = Deploy.makeDeploy(header, payment, session)
  deploy.sign(key)
  return deploy
}

/** Returns it in the form that is sent. */
export const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
