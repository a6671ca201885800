"""Validates what commands print against docs/schema/reports.json (Debian: python3-jsonschema)."""
import json
import unittest

from program import SOURCE

try:
    import jsonschema
except ImportError:  # run with another Python than Debian's
    jsonschema = None

NAMES = {"qanat.report": "report", "qanat.profile.step": "profile_step",
         "qanat.profile.data": "profile_data", "qanat.profile.sweep": "profile_sweep",
         "qanat.profile.dual": "profile_dual", "qanat.analysis": "analysis",
         "qanat.demo": "demo", "qanat.evaluation": "evaluation"}


def validate(report):
    """Raises jsonschema.ValidationError naming the place that does not fit."""
    if jsonschema is None:
        raise unittest.SkipTest("python3-jsonschema is not installed")
    schema = json.loads((SOURCE / "docs/schema/reports.json").read_text())
    definition = {"$schema": schema["$schema"], "$defs": schema["$defs"],
                  "$ref": "#/$defs/" + NAMES[report["schema"]]}
    jsonschema.Draft202012Validator.check_schema(definition)
    jsonschema.Draft202012Validator(definition).validate(report)
