"""Deploys the template, as it is, to an AWS emulator on this machine, and uses what it gives.

usage: deploy.py FOLDER_WITH_FUNCTIONS PROGRAM_OF_THE_LOCAL_STACK

The folder holds what cargo-lambda built: hookledger-stripe/bootstrap.zip and so on. The program is for its command `check`. The
emulator (ministack) is the one of the interpreter that runs this. Exits with 1, and says what it saw, where something is not as it must be.
"""

import hashlib
import hmac
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import botocore.session

ROOT = pathlib.Path(__file__).resolve().parent.parent
STACK = "hookledger"
BUCKET = "hookledger-artifacts"
VERSION = "v1"
SECRET = "whsec_made_up_for_the_emulator"
FUNCTIONS = ["stripe", "coinbase-commerce", "worker", "stuck-claims", "ledger-audit"]


def main(folder, program):
    with Emulator() as emulator:
        upload(emulator, pathlib.Path(folder))
        deploy(emulator)
        receive(emulator)
        settle(emulator)
        wait_for_the_schedule(emulator)
        ask(emulator)
        check(emulator, program)
        rotate(emulator)
        plant(emulator)
    print("the template stands: deployed, received, settled, re-driven, audited, rotated")


class Emulator:
    """ministack on free ports, with every role enforced."""

    def __enter__(self):
        self.port, mqtt = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        os.environ.update(
            AWS_ACCESS_KEY_ID="test",
            AWS_SECRET_ACCESS_KEY="test",
            AWS_DEFAULT_REGION="us-east-1",
            AWS_EC2_METADATA_DISABLED="true",
        )
        self.log = tempfile.TemporaryFile()
        environment = dict(
            os.environ, GATEWAY_PORT=str(self.port), IOT_MTLS_PORT=str(mqtt), AWS_ENDPOINT_URL=self.url, AUTH="true"
        )
        command = [pathlib.Path(sys.executable).parent / "ministack"]
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.session = botocore.session.get_session()
        until(lambda: self.healthy(), 30, "the emulator answers")
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.log.seek(0)
            print(self.log.read().decode(errors="replace")[-3000:], file=sys.stderr)
            for name in FUNCTIONS:
                print(f"-- log of {name}\n{self.lines(name)[-3000:]}", file=sys.stderr)
        self.process.terminate()
        self.process.wait(20)

    def healthy(self):
        try:
            return urllib.request.urlopen(f"{self.url}/_ministack/health", timeout=2).status == 200
        except OSError:
            return False

    def lines(self, name):
        try:
            events = self.client("logs").filter_log_events(logGroupName=f"/aws/lambda/hookledger-{name}")["events"]
            return "\n".join(event["message"].rstrip() for event in events)
        except Exception as error:
            return f"none: {error}"

    def client(self, service):
        return self.session.create_client(service, endpoint_url=self.url)


def upload(emulator, folder):
    s3 = emulator.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    for name in FUNCTIONS:
        packed = (folder / f"hookledger-{name}" / "bootstrap.zip").read_bytes()
        s3.put_object(Bucket=BUCKET, Key=f"{VERSION}/hookledger-{name}/bootstrap.zip", Body=packed)
    print(f"uploaded {len(FUNCTIONS)} functions")


def deploy(emulator):
    kept = json.dumps({"secrets": [SECRET], "api_key": "rk_made_up"})
    emulator.client("secretsmanager").create_secret(Name="hookledger/stripe", SecretString=kept)
    other = json.dumps({"secrets": [SECRET]})
    emulator.client("secretsmanager").create_secret(Name="hookledger/coinbase-commerce", SecretString=other)
    cloudformation = emulator.client("cloudformation")
    parameters = {"ArtifactsBucket": BUCKET, "ArtifactsVersion": VERSION, "Providers": "stripe,coinbase-commerce", "Architecture": "x86_64"}
    cloudformation.create_stack(
        StackName=STACK,
        TemplateBody=(ROOT / "infra/template.yaml").read_text(),
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    )
    until(lambda: not status(cloudformation).endswith("IN_PROGRESS"), 120, "the stack is made")
    if status(cloudformation) != "CREATE_COMPLETE":
        events = cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]
        failed = [event for event in events if "FAILED" in event["ResourceStatus"]]
        fail(f"the stack is {status(cloudformation)}: {json.dumps(failed, default=str, indent=1)}")
    # The emulator passes over TimeToLiveSpecification.
    emulator.client("dynamodb").update_time_to_live(
        TableName="hookledger-claims", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
    )
    resources = cloudformation.list_stack_resources(StackName=STACK)["StackResourceSummaries"]
    print(f"deployed {len(resources)} resources")


def status(cloudformation):
    return cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]


def receive(emulator):
    body = (ROOT / "events/stripe/charge_succeeded.json").read_bytes()
    first = post(emulator, body)
    again = post(emulator, body)
    expect("a payment is applied", (200, None), (first[0], first[1].get("hookledger-replay")), first[2])
    expect("the same again is replayed", (200, "true"), (again[0], again[1].get("hookledger-replay")))
    expect("byte for byte", first[2], again[2])
    expect("a forged one is refused", 401, post(emulator, body, "whsec_guessed")[0])
    expect("one entry is in the ledger", 1, len(rows(emulator, "hookledger-ledger")))


def settle(emulator):
    """A refund is settled by the worker, which the stream feeds."""
    body = (ROOT / "events/stripe/refund_updated_succeeded_1.json").read_bytes()
    expect("a refund is accepted", 200, post(emulator, body)[0])
    until(lambda: len(rows(emulator, "hookledger-ledger")) == 2, 60, "the worker settles the refund")


def wait_for_the_schedule(emulator):
    """A refund that came before its charge: the stream tells of it once, too early. Afterwards only the schedule can find it."""
    event = "evt_3ThBackGone00002"
    expect("a refund without its charge is accepted", 200, post(emulator, other("refund_updated_succeeded_1"))[0])
    until(lambda: claim(emulator, event).get("last_error"), 60, "the worker gives it back, to wait")
    expect("its charge is applied", 200, post(emulator, other("charge_succeeded"))[0])
    until(lambda: claim(emulator, event)["state"]["S"] == "done", 200, "the schedule has it settled")
    expect("it was the schedule that woke the worker", True, "kicked_at_ms" in claim(emulator, event))
    expect("charge and refund are in the ledger", 4, len(rows(emulator, "hookledger-ledger")))


def other(name):
    """A sample, with all its ids changed alike."""
    text = (ROOT / f"events/stripe/{name}.json").read_text()
    return re.sub(r'"((?:evt|ch|re|pi|txn)_3Th\w+)1"', r'"\g<1>2"', text).encode()


def claim(emulator, event):
    found = [row for row in rows(emulator, "hookledger-claims") if row["part"]["S"] == "claim"]
    return next(row for row in found if row["claim"]["S"].endswith(event))


def ask(emulator):
    listed = invoke(emulator, "stuck-claims", {"action": "list"})
    expect("nothing is open", [], listed["rows"])
    audited = invoke(emulator, "ledger-audit", {"action": "scan"})
    expect("claims and ledger agree", [], audited["findings"])
    looked_at = {"claims": 4, "entries": 4}
    expect("all of them were compared", looked_at, {name: audited["looked_at"][name] for name in looked_at})


# What the emulator passes over or does not have, and `check` therefore rightly finds.
NOT_THERE = [
    "stack hookledger has no AlarmTopic",
    "table hookledger-claims has no point-in-time recovery",
    "table hookledger-ledger has no point-in-time recovery",
]


def check(emulator, program):
    """The product's own check of a stack, as an operator runs it, by the AWS CLI that is installed beside the emulator."""
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [program, "check", "--stack", STACK, "--endpoint", emulator.url, "--json"]
    environment = dict(os.environ, PATH=path, AWS_ENDPOINT_URL=emulator.url)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    if not done.stdout:
        fail(f"check says {done.stderr}")
    report = json.loads(done.stdout)
    found = [one["what"] for one in report["findings"]]
    for what in found:
        print("   found:", what)
    expect("check finds what the emulator lacks and nothing else", [], [one for one in found if one not in NOT_THERE])


def rotate(emulator):
    """As the operations guide says: both secrets, then the new one alone. No function is deployed anew."""
    body, new = other("charge_succeeded"), "whsec_made_up_for_the_next_year"
    expect("the next secret is not known yet", 401, post(emulator, body, new)[0])
    keep(emulator, [new, SECRET])
    until(lambda: post(emulator, body, new)[0] == 200, 60, "a delivery under the new secret has it loaded")
    expect("the old one serves as well", 200, post(emulator, body)[0])
    keep(emulator, [new])
    until(lambda: post(emulator, body, "whsec_guessed")[0] == 401 == post(emulator, body)[0], 60, "the old one is refused")
    expect("the new one is not", 200, post(emulator, body, new)[0])


def keep(emulator, secrets):
    kept = json.dumps({"secrets": secrets, "api_key": "rk_made_up"})
    emulator.client("secretsmanager").put_secret_value(SecretId="hookledger/stripe", SecretString=kept)


def plant(emulator):
    """What the audit was quiet about is found when it is there."""
    dynamodb = emulator.client("dynamodb")
    entry = next(row for row in rows(emulator, "hookledger-ledger") if row["kind"]["S"] == "payment")
    nobody = {"movement": {"S": "stripe::ch_nobody_claimed"}, "claim": {"S": "stripe::evt_nobody"}}
    dynamodb.put_item(TableName="hookledger-ledger", Item={**entry, **nobody})
    found = invoke(emulator, "ledger-audit", {"action": "scan"})["findings"]
    expect("an entry that no claim booked is found", ["stripe::ch_nobody_claimed"], [one.get("movement") for one in found])


def invoke(emulator, name, payload):
    answer = emulator.client("lambda").invoke(FunctionName=f"hookledger-{name}", Payload=json.dumps(payload).encode())
    text = answer["Payload"].read()
    if "FunctionError" in answer:
        fail(f"{name} failed: {text.decode()}")
    return json.loads(text)


def post(emulator, body, secret=SECRET):
    """Signs as Stripe does and posts to the URL that the stack gives."""
    apis = emulator.client("apigatewayv2").get_apis()["Items"]
    api = next(api["ApiId"] for api in apis if api["Name"] == "hookledger")
    stamp = str(int(time.time()))
    code = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "Host": f"{api}.execute-api.localhost:{emulator.port}",
        "Content-Type": "application/json",
        "Stripe-Signature": f"t={stamp},v1={code}",
    }
    request = urllib.request.Request(f"{emulator.url}/webhooks/stripe", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def rows(emulator, table):
    return emulator.client("dynamodb").scan(TableName=table)["Items"]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def until(holds, within_s, what):
    ends = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > ends:
            fail(f"not within {within_s} s: {what}")
        time.sleep(0.25)
    print(f"ok  {what}")


def expect(what, expected, seen, more=""):
    if expected != seen:
        fail(f"{what}: expected {expected!r}, saw {seen!r} {more}")
    print(f"ok  {what}")


def fail(what):
    raise SystemExit(f"FAILED  {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
