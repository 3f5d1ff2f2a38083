"""The checks of .ci/template, one after another; see there."""

import copy
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import policies
import rendering
import rules
import running  # Registers its rules.

GOLDEN = rendering.ROOT / "infra/template.golden.txt"
# Two stand for all of them: one of the rules says that providers differ in names alone.
LISTED = ["stripe", "coinbase-commerce"]
# AWS CloudFormation takes so much as text; more would need a bucket (docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/
# cloudformation-limits.html).
SOURCE_BYTES_MAX = 51_200


def main(arguments):
    if "--update" in arguments:
        GOLDEN.write_text(rendering.listing(rendering.rendered(LISTED)))
        print(f"written: {GOLDEN.relative_to(rendering.ROOT)}")
        return
    template = rendering.rendered(rendering.providers())
    checks = self_test if "--self-test" in arguments else check
    passed, failed = 0, 0
    for name, problems in checks(template):
        print(f"FAILED   {name}" if problems else f"ok       {name}", *problems, sep="\n         ")
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def check(template):
    with tempfile.TemporaryDirectory(prefix="hookledger-template-") as folder:
        filled, plain = pathlib.Path(folder, "filled.json"), pathlib.Path(folder, "plain.json")
        filled.write_text(json.dumps(rendering.loops_filled(rendering.providers()), indent=1))
        plain.write_text(json.dumps(template, indent=1))
        yield "cfn-lint, the template as it stands", said(linter(), str(rendering.SOURCE))
        yield "cfn-lint, rendered for all providers", said(linter(), str(plain))
        # SAM's own expansion leaves a loop inside a resource's properties alone, which CloudFormation fills in.
        yield "sam validate, loops filled in", said(os.environ["SAM"], "validate", "--template", str(filled))
        yield "sam validate --lint, loops filled in", said(os.environ["SAM"], "validate", "--lint", "--template", str(filled))
    yield "SAM's own loops make the same names", renamed(rendering.loops_filled(rendering.providers()))
    yield "it can be sent as text", too_large(rendering.SOURCE.stat().st_size)
    yield "rendered as it was last looked at", differences(rendering.rendered(LISTED))
    yield f"parliament, {len(list(policies.documents(template)))} policies", list(policies.findings(template))
    broken = rules.broken_by(template)
    for name, _, _ in rules.RULES:
        yield name.replace("_", " "), broken.get(name, [])


def linter():
    return str(pathlib.Path(sys.executable).parent / "cfn-lint")


def said(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0:
        return []
    return done.stdout.strip().splitlines()[-40:] or [f"status {done.returncode}"]


def renamed(filled):
    """What AWS's implementation of the loops calls otherwise than the emulator's. Neither is CloudFormation; they should agree."""
    program = pathlib.Path(os.environ["SAM"]).parent / "python"
    named = pathlib.Path(__file__).parent / "named_by_sam.py"
    command = [program, named, rendering.SOURCE, ",".join(rendering.providers())]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        return done.stdout.strip().splitlines()[-40:] or [f"status {done.returncode}"]
    ours = {f"{section} {name}" for section in ("Resources", "Outputs") for name in filled[section]}
    return [f"in one of the two alone: {name}" for name in sorted(ours ^ set(done.stdout.splitlines()))]


def too_large(size):
    return [f"{size} bytes and {SOURCE_BYTES_MAX} are allowed"] if size > SOURCE_BYTES_MAX else []


def differences(template):
    was, now = GOLDEN.read_text().splitlines(), rendering.listing(template).splitlines()
    lines = list(difflib.unified_diff(was, now, "last looked at", "now", lineterm="", n=1))
    return [*lines[:60], "if this is meant: .ci/template --update"] if lines else []


def self_test(template):
    yield "the template itself is clean", [*rules.broken_by(template), *policies.findings(template)]
    for name, _, breaks in rules.RULES:
        problems = [] if breaks else ["nothing proves that it can fail"]
        for number, change in enumerate(breaks):
            copied = copy.deepcopy(template)
            change(copied)
            found = set(rules.broken_by(copied))
            if found != {name}:
                problems.append(f"change {number} is found by {sorted(found) or 'nothing'}")
        yield f"{name.replace('_', ' ')}, {len(breaks)} changes", problems
    yield "parliament knows the actions", unless_found(template, "dynamodb:PutItemz", rules.CLAIMS, "UNKNOWN_ACTION")
    yield "parliament knows the resources", unless_found(template, "dynamodb:PutItem", rules.LOST, "RESOURCE_MISMATCH")
    yield "the linter reads the rendered roles", unless_linted(template)
    yield "a change is told apart from what was looked at", unless_different()
    yield "a resource that SAM calls otherwise is seen", unless_renamed()
    yield "a template that is too large is seen", [] if too_large(SOURCE_BYTES_MAX + 1) else ["it is not"]


def unless_found(template, action, resource, issue):
    copied = copy.deepcopy(template)
    rules.grant("WorkerRole", action, resource)(copied)
    return [] if any(issue in finding for finding in policies.findings(copied)) else [f"{issue} is not found"]


def unless_linted(template):
    copied = copy.deepcopy(template)
    rules.grant("WorkerRole", "dynamodb:PutItemz", rules.CLAIMS)(copied)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(copied, file, indent=1)
        file.flush()
        return [] if any("W3037" in line for line in said(linter(), file.name)) else ["cfn-lint passes over an unknown action"]


def unless_renamed():
    filled = rendering.loops_filled(rendering.providers())
    filled["Resources"]["ReceiverOther"] = filled["Resources"].pop("Receiverstripe")
    expected = ["Resources ReceiverOther", "Resources Receiverstripe"]
    found = [line.removeprefix("in one of the two alone: ") for line in renamed(filled)]
    return [] if found == expected else [f"found is {found}"]


def unless_different():
    copied = rendering.rendered(LISTED)
    rules.put("Worker", "Properties", "Timeout", value=36)(copied)
    return [] if differences(copied) else ["it is not"]


main(sys.argv[1:])
