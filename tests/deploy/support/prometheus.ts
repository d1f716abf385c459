import { join } from 'node:path'
import { findProgram } from '../../support/installed.ts'
import { runToEnd } from '../../support/program.ts'
import { readDeploy } from './proxies.ts'

const prometheus = findProgram('prometheus', 'REQUIRE_PROMETHEUS')

/** Whether tests with Prometheus can run here. */
export const hasPrometheus = prometheus.isInstalled

/** The command that starts Prometheus. */
export const prometheusCommand = prometheus.path

/** Runs promtool in a folder. */
export const promtool = (args: readonly string[], cwd: string) => runToEnd(['promtool', ...args], {}, cwd)

/** A rule of `deploy/prometheus`. */
export interface AlertRule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

/** The name of the file with the rules. */
export const RULES_FILE = 'wattfeed.rules.yml'

interface RuleGroup {
  name: string
  rules: AlertRule[]
}

const readGroups = (): RuleGroup[] =>
  Object(Bun.YAML.parse(readDeploy(`prometheus/${RULES_FILE}`))).groups as RuleGroup[]

/** Reads the rules. */
export const readRules = (): AlertRule[] => readGroups().flatMap(({ rules }) => rules)

/** Samples of a series, in the notation of `promtool test rules`: one a minute. */
export type Samples = Readonly<Record<string, string>>

/** Counts how often an alert fires after this number of minutes with these samples. */
export interface RuleCase {
  alert: string
  samples: Samples
  minutes: number
  firing: number
}

/** Tests the rules with promtool, each alone. Otherwise it would evaluate all of them in every minute of every case. */
export async function testRules(cases: readonly RuleCase[], folder: string) {
  const files: string[] = []
  for (const [alert, own] of Map.groupBy(cases, ({ alert }) => alert)) {
    const groups = readGroups().map((group) => ({
      ...group,
      rules: group.rules.filter((rule) => rule.alert === alert),
    }))
    // JSON is YAML.
    await Bun.write(join(folder, `${alert}.rules.yml`), JSON.stringify({ groups }))
    const tests = { rule_files: [`${alert}.rules.yml`], evaluation_interval: '1m', tests: own.map(testOf) }
    await Bun.write(join(folder, `${alert}.test.yml`), JSON.stringify(tests))
    files.push(`${alert}.test.yml`)
  }
  return promtool(['test', 'rules', ...files], folder)
}

const testOf = ({ alert, samples, minutes, firing }: RuleCase) => ({
  name: `${alert} ${firing}`,
  interval: '1m',
  input_series: Object.entries(samples).map(([series, values]) => ({ series, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
      eval_time: `${minutes}m`,
      exp_samples: [{ labels: '{}', value: firing }],
    },
  ],
})
