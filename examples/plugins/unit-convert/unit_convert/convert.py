"""What the plugin does, without the protocol around it."""

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048}
TO_KELVIN = {
    "k": lambda value: value,
    "c": lambda value: value + 273.15,
    "f": lambda value: (value - 32) * 5 / 9 + 273.15,
}
FROM_KELVIN = {
    "k": lambda value: value,
    "c": lambda value: value - 273.15,
    "f": lambda value: (value - 273.15) * 9 / 5 + 32,
}


class NotConvertible(ValueError):
    """The two units measure different things."""


def convert(value: float, source: str, target: str) -> float:
    """The value in another unit of the same kind."""
    if source in METRES and target in METRES:
        return round(value * METRES[source] / METRES[target], 9)
    if source in TO_KELVIN and target in FROM_KELVIN:
        return round(FROM_KELVIN[target](TO_KELVIN[source](value)), 9)
    raise NotConvertible(f"{source} cannot be converted to {target}")
