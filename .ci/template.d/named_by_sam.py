"""Prints what the resources and outputs of a template are called when the SAM CLI has filled in its loops.

usage: named_by_sam.py TEMPLATE PROVIDERS, by the interpreter that has the SAM CLI
"""

import pathlib
import sys

from samcli.lib.cfn_language_extensions.api import process_template
from samcli.yamlhelper import yaml_parse

template = yaml_parse(pathlib.Path(sys.argv[1]).read_text())
values = {name: one.get("Default", "made-up") for name, one in template["Parameters"].items()}
filled = process_template(template, parameter_values=values | {"Providers": sys.argv[2]})
for section in ("Resources", "Outputs"):
    print(*(f"{section} {name}" for name in filled[section]), sep="\n")
