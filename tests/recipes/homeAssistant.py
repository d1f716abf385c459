"""Sets up Home Assistant's REST integration from a configuration, and prints the states of its sensors as JSON.

usage: homeAssistant.py FOLDER, with FOLDER/configuration.yaml
"""

import asyncio
import json
import sys

from homeassistant import bootstrap, loader
from homeassistant.config import async_hass_config_yaml
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component


async def main(folder: str) -> None:
    hass = HomeAssistant(folder)
    hass.config.skip_pip = True
    hass.config_entries = ConfigEntries(hass, {})
    loader.async_setup(hass)
    await bootstrap.async_load_base_functionality(hass)
    config = await async_hass_config_yaml(hass)
    if not await async_setup_component(hass, "rest", config):
        sys.exit("Home Assistant rejects the configuration")
    await hass.async_start()
    await hass.async_block_till_done()
    states = hass.states.async_all("sensor")
    print(json.dumps({state.entity_id: [state.state, dict(state.attributes)] for state in states}))
    await hass.async_stop(force=True)


asyncio.run(main(sys.argv[1]))
