import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from unit_convert.convert import NotConvertible, convert  # noqa: E402
from unit_convert.server import TOOLS  # noqa: E402
from unit_convert.stdio_server import answer  # noqa: E402


class ConvertTest(unittest.TestCase):
    def test_lengths_and_temperatures(self):
        self.assertEqual(convert(1, "km", "m"), 1000)
        self.assertEqual(convert(1, "mi", "km"), 1.609344)
        self.assertEqual(convert(100, "c", "f"), 212)
        self.assertEqual(convert(0, "k", "c"), -273.15)

    def test_units_of_different_kinds(self):
        with self.assertRaises(NotConvertible):
            convert(1, "km", "c")

    def test_a_wrong_call_is_an_invalid_input(self):
        params = {"name": "convert", "arguments": {"value": 1, "from": "m", "to": "c"}}
        result = answer({"method": "tools/call", "params": params}, {}, TOOLS)["result"]
        self.assertTrue(result["isError"])
        self.assertIn("INVALID_INPUT", result["content"][0]["text"])


if __name__ == "__main__":
    unittest.main()
