/** One series of a dataset, as EIA's API is asked for it. */
export interface Series {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  /** The column that holds the value; EIA's `data[0]`. */
  readonly column: string
  /** One value for each facet that is pinned, by facet id. */
  readonly facets: Readonly<Record<string, string>>
}

/** A row as upstream sent it. */
export interface EiaRow {
  /** As sent. */
  readonly period: string
  /** As sent, with every digit; null for JSON `null`. */
  readonly value: string | null
  /**
   * Text of `units`, else of `<column>-units`, which is the unit that is hashed; null where the row has
   * neither, and then the configured unit is hashed.
   */
  readonly unit: string | null
  /**
   * What the row says of its unit in whatever column: `unit`, else text of the column `unit` (steo,
   * total-energy, seds, international). To compare with `upstream_unit`; never hashed.
   */
  readonly statedUnit: string | null
}
