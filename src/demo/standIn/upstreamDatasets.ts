import type { UpstreamDataset } from '@wattfeed/eia/internal'
import co2EmissionsCo2EmissionsAggregates from '../../../fixtures/eia/co2-emissions-co2-emissions-aggregates.json' with {
  type: 'json',
}
import coalAggregateProduction from '../../../fixtures/eia/coal-aggregate-production.json' with {
  type: 'json',
}
import coalMarketSalesPrice from '../../../fixtures/eia/coal-market-sales-price.json' with { type: 'json' }
import coalPriceByRank from '../../../fixtures/eia/coal-price-by-rank.json' with { type: 'json' }
import crudeOilImports from '../../../fixtures/eia/crude-oil-imports.json' with { type: 'json' }
import densifiedBiomassProductionByRegion from '../../../fixtures/eia/densified-biomass-production-by-region.json' with {
  type: 'json',
}
import densifiedBiomassSalesAndPriceByRegion from '../../../fixtures/eia/densified-biomass-sales-and-price-by-region.json' with {
  type: 'json',
}
import electricityRetailSales from '../../../fixtures/eia/electricity-retail-sales.json' with { type: 'json' }
import electricityRtoFuelTypeData from '../../../fixtures/eia/electricity-rto-fuel-type-data.json' with {
  type: 'json',
}
import electricityRtoRegionData from '../../../fixtures/eia/electricity-rto-region-data.json' with {
  type: 'json',
}
import international from '../../../fixtures/eia/international.json' with { type: 'json' }
import naturalGasConsSum from '../../../fixtures/eia/natural-gas-cons-sum.json' with { type: 'json' }
import naturalGasEnrDry from '../../../fixtures/eia/natural-gas-enr-dry.json' with { type: 'json' }
import naturalGasImports from '../../../fixtures/eia/natural-gas-move-impc.json' with { type: 'json' }
import naturalGasPriFut from '../../../fixtures/eia/natural-gas-pri-fut.json' with { type: 'json' }
import naturalGasProdSum from '../../../fixtures/eia/natural-gas-prod-sum.json' with { type: 'json' }
import naturalGasStorWkly from '../../../fixtures/eia/natural-gas-stor-wkly.json' with { type: 'json' }
import nuclearOutagesUsNuclearOutages from '../../../fixtures/eia/nuclear-outages-us-nuclear-outages.json' with {
  type: 'json',
}
import petroleumConsWpsup from '../../../fixtures/eia/petroleum-cons-wpsup.json' with { type: 'json' }
import petroleumCrdCrpdn from '../../../fixtures/eia/petroleum-crd-crpdn.json' with { type: 'json' }
import petroleumCrdPres from '../../../fixtures/eia/petroleum-crd-pres.json' with { type: 'json' }
import petroleumPriGnd from '../../../fixtures/eia/petroleum-pri-gnd.json' with { type: 'json' }
import petroleumPriSpt from '../../../fixtures/eia/petroleum-pri-spt.json' with { type: 'json' }
import petroleumStocWstk from '../../../fixtures/eia/petroleum-stoc-wstk.json' with { type: 'json' }
import seds from '../../../fixtures/eia/seds.json' with { type: 'json' }
import steo from '../../../fixtures/eia/steo.json' with { type: 'json' }
import totalEnergy from '../../../fixtures/eia/total-energy.json' with { type: 'json' }

/** The datasets in `fixtures/eia`. They are imported one by one, so that a binary contains them. */
export const upstreamDatasets: readonly UpstreamDataset[] = [
  co2EmissionsCo2EmissionsAggregates,
  coalAggregateProduction,
  coalMarketSalesPrice,
  coalPriceByRank,
  crudeOilImports,
  densifiedBiomassProductionByRegion,
  densifiedBiomassSalesAndPriceByRegion,
  electricityRetailSales,
  electricityRtoFuelTypeData,
  electricityRtoRegionData,
  international,
  naturalGasConsSum,
  naturalGasEnrDry,
  naturalGasImports,
  naturalGasPriFut,
  naturalGasProdSum,
  naturalGasStorWkly,
  nuclearOutagesUsNuclearOutages,
  petroleumConsWpsup,
  petroleumCrdCrpdn,
  petroleumCrdPres,
  petroleumPriGnd,
  petroleumPriSpt,
  petroleumStocWstk,
  seds,
  steo,
  totalEnergy,
]
