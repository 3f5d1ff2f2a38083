"""The template as CloudFormation sees it: loops and maps filled in, then SAM's resources."""

import json
import logging
import os
import pathlib

# What the two libraries would have that is not needed here.
logging.disable(logging.WARNING)

from ministack.services.cloudformation import language_extensions
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "infra/template.yaml"
# SAM's translator wants one, and nothing here depends on it.
os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
SAM = "AWS::Serverless-2016-10-31"


class NoManagedPolicies:
    """Every policy stands in the template."""

    def load(self):
        return {}


def source():
    return plain(yaml_parse(SOURCE.read_text()))


def providers():
    """Every provider there is a function for in the template."""
    return list(source()["Mappings"]["Names"])


def loops_filled(names):
    """The template of these providers without AWS::LanguageExtensions, as text that SAM's tools read."""
    template = source()
    template["Parameters"]["Providers"]["Default"] = ",".join(names)
    values = {name: one.get("Default", "made-up") for name, one in template["Parameters"].items()}
    filled = language_extensions.apply(template, values)
    # Every look-up was made, and a map that nothing reads is a finding.
    del filled["Mappings"]
    filled["Transform"] = SAM
    return plain(literal(filled))


def rendered(names):
    """The template of these providers in plain CloudFormation."""
    return plain(transform(loops_filled(names), {}, NoManagedPolicies()))


def literal(value):
    """A Sub in which the loop has left no variable is its text."""
    if isinstance(value, list):
        return [literal(one) for one in value]
    if not isinstance(value, dict):
        return value
    text = value.get("Fn::Sub")
    if len(value) == 1 and isinstance(text, str) and "${" not in text:
        return text
    return {name: literal(one) for name, one in value.items()}


def plain(value):
    """Without the parsers' own types."""
    return json.loads(json.dumps(value, default=str))


def listing(template):
    """A line for each value, to be read and compared."""
    lines = []
    for section in ("Parameters", "Conditions", "Resources", "Outputs"):
        for name, one in sorted(template.get(section, {}).items()):
            lines.append(f"{section} {name}")
            lines += [f"  {path} = {value}" for path, value in leaves("", one)]
    return "\n".join(lines) + "\n"


def leaves(path, value):
    """What has no further names under it: scalars, lists, functions."""
    functions = ("Ref", "Condition")
    is_function = isinstance(value, dict) and len(value) == 1 and (next(iter(value)).startswith("Fn::") or next(iter(value)) in functions)
    if not isinstance(value, dict) or not value or (is_function and path):
        yield path, json.dumps(value, sort_keys=True)
        return
    for name, one in sorted(value.items()):
        yield from leaves(f"{path}.{name}" if path else name, one)
