"""Reads the configuration file."""

import configparser
from dataclasses import dataclass
from pathlib import Path


class ConfigError(Exception):
    """The configuration cannot be used; the message names section and key."""


@dataclass(frozen=True)
class ProviderConfig:
    """One section `provider:NAME`."""

    name: str
    kind: str
    prefix: str
    brake_percent: int
    options: dict[str, str]

    def option(self, key: str) -> str:
        try:
            return self.options[key]
        except KeyError:
            raise ConfigError(f"provider:{self.name} needs {key}") from None


@dataclass(frozen=True)
class Config:
    """The whole file."""

    database: str
    state: Path
    providers: tuple[ProviderConfig, ...]

    def only(self, name: str) -> "Config":
        """The same with one provider."""
        chosen = tuple(provider for provider in self.providers if provider.name == name)
        if not chosen:
            raise ConfigError(f"there is no provider {name}")
        return Config(self.database, self.state, chosen)


def read_config(path: Path) -> Config:
    """Read and check the file; raises ConfigError."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        with path.open(encoding="utf-8") as stream:
            parser.read_file(stream)
        shop = parser["shop"]
        database, state = shop["database"], Path(shop["state"])
    except (OSError, configparser.Error) as error:
        raise ConfigError(f"{path}: {error}") from error
    except KeyError as error:
        raise ConfigError(f"{path}: section shop with database and state is needed") from error
    providers = tuple(
        _provider(name.removeprefix("provider:"), dict(parser[name]))
        for name in parser.sections()
        if name.startswith("provider:")
    )
    if not providers:
        raise ConfigError(f"{path}: no provider")
    return Config(database, state, providers)


def _provider(name: str, options: dict[str, str]) -> ProviderConfig:
    kind = options.pop("kind", "")
    if kind not in {"csv", "api"}:
        raise ConfigError(f"provider:{name} has kind {kind!r}, expected csv or api")
    try:
        brake = int(options.pop("brake_percent", "20"))
    except ValueError:
        raise ConfigError(f"provider:{name}: brake_percent must be a whole number") from None
    if not 0 <= brake <= 100:
        raise ConfigError(f"provider:{name}: brake_percent must lie between 0 and 100")
    return ProviderConfig(name, kind, options.pop("prefix", ""), brake, options)
