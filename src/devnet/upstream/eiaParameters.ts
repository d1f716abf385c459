/** The query of a request, as EIA's API understands it and echoes it. */
export interface EiaParameters {
  frequency?: string
  /** Columns. */
  data?: string[]
  /** Values by facet id. */
  facets?: Record<string, string[]>
  sort?: { column?: string; direction?: string }[]
  offset?: string
  length?: string
  api_key?: string
}

/** Reads `data[0]=…`, `facets[id][]=…`, `sort[0][column]=…` and the plain ones. Others are left out. */
export function parseEiaParameters(query: URLSearchParams): EiaParameters {
  const parameters: EiaParameters = {}
  for (const [name, value] of query) {
    const [, list = name, first = '', second = ''] = /^(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?$/.exec(name) ?? []
    if (list === 'frequency' || list === 'offset' || list === 'length' || list === 'api_key')
      parameters[list] = value
    if (list === 'data') {
      parameters.data ??= []
      parameters.data.push(value)
    }
    if (list === 'facets') {
      parameters.facets ??= {}
      parameters.facets[first] ??= []
      parameters.facets[first].push(value)
    }
    if (list === 'sort' && (second === 'column' || second === 'direction')) {
      parameters.sort ??= []
      const rank = Number(first)
      parameters.sort[rank] = { ...parameters.sort[rank], [second]: value }
    }
  }
  return parameters
}
