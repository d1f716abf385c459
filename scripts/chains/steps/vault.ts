import { CLValue } from 'casper-js-sdk'
import { address, bytes, key, motes, type Names, type Step, type StepArguments, text } from './step.ts'

const PACKAGE = 'vault_package_hash'

const noArguments = (): StepArguments => ({})

const configuration = (name: string) => ({
  odra_cfg_is_upgradable: CLValue.newCLValueBool(true),
  odra_cfg_allow_key_override: CLValue.newCLValueBool(true),
  odra_cfg_package_hash_key_name: text(name),
})

const installOf = (name: string): Step => ({
  title: `install ${name}`,
  target: { session: 'Vault', isInstall: true },
  args: () => ({
    ...configuration(name),
    odra_cfg_is_upgrade: CLValue.newCLValueBool(false),
    fee: motes(1_000_000),
  }),
  by: ['ed25519'],
  paymentCspr: 400,
})

const upgradeBy = (by: Step['by'][0]): Step => ({
  title: `upgrade of the vault by ${by}`,
  target: { session: 'Vault', isInstall: true },
  args: (names) => ({
    ...configuration(PACKAGE),
    odra_cfg_is_upgrade: CLValue.newCLValueBool(true),
    odra_cfg_is_factory_upgrade: CLValue.newCLValueBool(false),
    odra_cfg_create_upgrade_group: CLValue.newCLValueBool(false),
    odra_cfg_package_hash_to_upgrade: address(names(PACKAGE)),
    fee: motes(2_000_000),
  }),
  by: [by],
  paymentCspr: 400,
})

const call = (entryPoint: string, args: Step['args'] = noArguments, by: Step['by'][0] = 'ed25519'): Step => ({
  title: `${entryPoint} of the vault`,
  target: { package: PACKAGE, entryPoint },
  args,
  by: [by],
  paymentCspr: 20,
})

/** A call with motes, which Odra's session attaches. */
function payable(
  entryPoint: string,
  attached: bigint,
  args: (names: Names) => [string, CLValue][] = () => [],
): Step {
  return {
    title: `${entryPoint} of the vault with ${attached} motes`,
    target: { session: 'ProxyCallerWithReturn', isInstall: false },
    args: (names) => ({
      package_hash: address(names(PACKAGE)),
      entry_point: text(entryPoint),
      args: bytes(encodeArguments(args(names))),
      attached_value: motes(attached),
      amount: motes(attached),
    }),
    by: ['ed25519'],
    paymentCspr: 60,
  }
}

const u32Of = (value: number): number[] => [...new Uint8Array(new Uint32Array([value]).buffer)]

/** `RuntimeArgs` in bytes. */
function encodeArguments(args: readonly [string, CLValue][]): Uint8Array {
  const named = args.flatMap(([name, value]) => {
    const utf8 = [...new TextEncoder().encode(name)]
    const inner = value.bytes()
    return [...u32Of(utf8.length), ...utf8, ...u32Of(inner.length), ...inner, ...value.getType().toBytes()]
  })
  return Uint8Array.from([...u32Of(args.length), ...named])
}

/** What a contract of Odra does with motes, before and after an upgrade. */
export const vaultSteps: readonly Step[] = [
  installOf(PACKAGE),
  installOf('other_vault_package_hash'),
  payable('deposit', 5_000_000_000n),
  payable('deposit', 0n),
  call('deposit'),
  call('balance'),
  payable('balance', 1_000_000_000n),
  payable('deposit', 10n ** 18n),
  call('withdraw', () => ({ motes: motes(1_000_000_000) })),
  call('withdraw', () => ({ motes: motes(10_000_000_000n) })),
  call('withdraw', () => ({ motes: motes(1_000_000_000) }), 'secp256k1'),
  payable('pass_on', 3_000_000_000n, (names) => [['vault', key(names('other_vault_package_hash'))]]),
  upgradeBy('ed25519'),
  upgradeBy('secp256k1'),
  payable('deposit', 2_000_000_000n),
  call('withdraw', () => ({ motes: motes(1_000_000_000) })),
  call('balance'),
]
