import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    """The platform of a wheel is the extension's: any Python 3, but one system and processor."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + os.environ["CCBF_WHEEL_PLATFORM"]
