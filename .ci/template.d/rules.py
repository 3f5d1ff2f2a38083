"""What must hold of the rendered template. A rule yields what breaks it, and brings along changes that it must find."""

import json

from policies import documents, many, statements, text

RULES = []


def rule(*breaks):
    """Registers a rule with changes to a template, each of which this rule must find, and no other."""

    def register(holds):
        RULES.append((holds.__name__, holds, breaks))
        return holds

    return register


def broken_by(template):
    """The names of the rules that this template breaks, with what they say."""
    said = {}
    for name, holds, _ in RULES:
        found = list(holds(template))
        if found:
            said[name] = found
    return said


def every(template, kind):
    """Names and properties of the resources of a kind."""
    return {name: one.get("Properties", {}) for name, one in template["Resources"].items() if one["Type"] == kind}


def tables(template):
    return every(template, "AWS::DynamoDB::Table")


def functions(template):
    return every(template, "AWS::Lambda::Function")


def receivers(template):
    """The receiving functions: the provider of each and its properties."""
    ids = [(name.removeprefix("Receiver"), one) for name, one in functions(template).items() if name.startswith("Receiver")]
    return {one["FunctionName"].removeprefix("hookledger-"): (id, one) for id, one in ids}


def mappings(template):
    return every(template, "AWS::Lambda::EventSourceMapping")


def alarms(template):
    return every(template, "AWS::CloudWatch::Alarm")


def is_(value):
    return json.dumps(value, sort_keys=True)


def at(template, name):
    return template["Resources"][name]["Properties"]


def meant(template, name):
    """The resource of this name; with a star behind it, those of all providers."""
    return [one for one in template["Resources"] if one == name or (name.endswith("*") and one.startswith(name[:-1]))]


def put(name, *path, value):
    """A change: a property is set."""

    def change(template):
        for one in meant(template, name):
            inside(template["Resources"], one, *path[:-1])[path[-1]] = value

    return change


def drop(name, *path):
    """A change: a property, or without a path the resource, is taken away."""

    def change(template):
        for one in meant(template, name):
            steps = [one, *path]
            del inside(template["Resources"], *steps[:-1])[steps[-1]]

    return change


def grant(role, action, resource):
    """A change: a role may do one thing more."""

    def change(template):
        for one in meant(template, role):
            statement = {"Effect": "Allow", "Action": action, "Resource": resource}
            at(template, one)["Policies"][0]["PolicyDocument"]["Statement"].append(statement)

    return change


def inside(value, *path):
    for step in path:
        value = value[step]
    return value


CLAIMS, LEDGER, LOST = ({"Fn::GetAtt": [name, "Arn"]} for name in ("ClaimsTable", "LedgerTable", "Lost"))


# Tables.


@rule(put("LedgerTable", "Properties", "SSESpecification", value={"SSEEnabled": False}))
def tables_are_encrypted(template):
    for name, one in tables(template).items():
        if one.get("SSESpecification", {}).get("SSEEnabled") is not True:
            yield f"{name} has no SSESpecification"


@rule(drop("ClaimsTable", "Properties", "PointInTimeRecoverySpecification"))
def tables_can_be_restored(template):
    for name, one in tables(template).items():
        if one.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled") is not True:
            yield f"{name} cannot be restored to a moment"


@rule(
    put("LedgerTable", "Properties", "DeletionProtectionEnabled", value=False),
    drop("LedgerTable", "DeletionPolicy"),
    put("ClaimsTable", "UpdateReplacePolicy", value="Delete"),
)
def tables_outlive_the_stack(template):
    for name, one in tables(template).items():
        if one.get("DeletionProtectionEnabled") is not True:
            yield f"{name} can be deleted"
        for policy in ("DeletionPolicy", "UpdateReplacePolicy"):
            if template["Resources"][name].get(policy) != "Retain":
                yield f"{name}: {policy} is not Retain"


@rule(drop("LedgerTable", "Properties", "StreamSpecification"))
def tables_have_streams(template):
    for name, one in tables(template).items():
        if one.get("StreamSpecification", {}).get("StreamViewType") != "NEW_IMAGE":
            yield f"{name} has no stream of new images"


@rule(
    put("ClaimsTable", "Properties", "TimeToLiveSpecification", value={"AttributeName": "ttl", "Enabled": True}),
    put("LedgerTable", "Properties", "TimeToLiveSpecification", value={"AttributeName": "expires_at", "Enabled": True}),
)
def claims_expire_and_entries_do_not(template):
    if at(template, "ClaimsTable").get("TimeToLiveSpecification") != {"AttributeName": "expires_at", "Enabled": True}:
        yield "claims do not expire at expires_at"
    if "TimeToLiveSpecification" in at(template, "LedgerTable"):
        yield "entries expire"


# Who may do what.

# A star that is meant, by owner and action, and the reason. None, so far: the stars in ARNs stand for the six characters that
# Secrets Manager adds, and are question marks.
STARS = {}


@rule(grant("WorkerRole", ["sqs:*"], LOST), grant("StuckClaimsRole", "dynamodb:Get*", CLAIMS))
def no_action_has_a_star(template):
    for owner, statement in statements(template):
        for action in many(statement["Action"]):
            if "*" in action and (owner, action) not in STARS:
                yield f"{owner} may {action}"


@rule(
    grant("StuckClaimsRole", "cloudwatch:GetMetricData", "*"),
    grant("StuckClaimsRole", "sqs:SendMessage", {"Fn::Sub": "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:hookledger*"}),
)
def no_resource_has_a_star(template):
    for owner, statement in statements(template):
        for resource in many(statement["Resource"]):
            # The streams of a log group are under it.
            arn = text(resource, template).removesuffix(":*") if ":logs:" in text(resource, template) else text(resource, template)
            if "*" in arn and (owner, arn) not in STARS:
                yield f"{owner}: {arn}"


@rule(put("WorkerRole", "Properties", "Policies", 0, "PolicyDocument", "Statement", 0, "NotAction", value=["iam:PassRole"]))
def policies_say_what_is_allowed(template):
    for owner, statement in statements(template):
        if statement["Effect"] != "Allow" or {"NotAction", "NotResource", "Principal"} & set(statement):
            yield f"{owner} is allowed by exception"


WRITES = ("Put", "Update", "Delete", "BatchWrite", "PartiQL", "Import", "Restore")


@rule(
    grant("StuckClaimsRole", "dynamodb:UpdateItem", LEDGER),
    grant("LedgerAuditRole", ["dynamodb:DeleteItem"], LEDGER),
    grant("WorkerRole", "dynamodb:PartiQLInsert", LEDGER),
)
def the_ledger_is_only_added_to(template):
    arn = text(LEDGER, template)
    for owner, statement in statements(template):
        if not any(text(resource, template).startswith(arn) for resource in many(statement["Resource"])):
            continue
        for action in many(statement["Action"]):
            name = action.removeprefix("dynamodb:")
            if name.startswith(WRITES) and name != "PutItem":
                yield f"{owner} may {action} the ledger"


@rule(
    grant("StuckClaimsRole", "dynamodb:PutItem", LEDGER),
    put("StuckClaims", "Properties", "Role", value={"Fn::GetAtt": ["SchedulerRole", "Arn"]}),
)
def only_who_books_writes_to_the_ledger(template):
    arn = text(LEDGER, template)
    for owner, statement in statements(template):
        puts = "dynamodb:PutItem" in many(statement["Action"])
        if puts and arn in [text(one, template) for one in many(statement["Resource"])]:
            if owner != "WorkerRole" and not owner.startswith("ReceiverRole"):
                yield f"{owner} may add to the ledger"
    held = [is_(one["Role"]) for one in functions(template).values()]
    for name, one in functions(template).items():
        own = {"Fn::GetAtt": [name.replace("Receiver", "ReceiverRole") if name.startswith("Receiver") else f"{name}Role", "Arn"]}
        if one["Role"] != own or held.count(is_(one["Role"])) > 1:
            yield f"{name} has a role that is not its own"


def widen(keys):
    def change(template):
        for role in meant(template, "ReceiverRole*"):
            for statement in at(template, role)["Policies"][0]["PolicyDocument"]["Statement"]:
                if statement["Resource"] == LEDGER:
                    statement["Condition"] = keys

    return change


@rule(
    widen({"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["s*"]}}),
    widen({}),
    grant("ReceiverRole*", "dynamodb:GetItem", CLAIMS),
)
def receivers_keep_to_their_own_rows(template):
    for provider, (id, _) in receivers(template).items():
        own = {is_(CLAIMS): [f"{provider}:*", "-:*"], is_(LEDGER): [f"{provider}:*"]}
        for owner, statement in statements(template):
            keys = own.get(is_(statement["Resource"])) if owner == f"ReceiverRole{id}" else None
            if keys and statement.get("Condition") != {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}:
                yield f"{provider} reaches rows beyond {keys}"


@rule(grant("ReceiverRole*", "secretsmanager:GetSecretValue", "arn:aws:secretsmanager:us-east-1:123456789012:secret:other-??????"))
def receivers_read_their_own_secret(template):
    for provider, (id, one) in receivers(template).items():
        wanted = f"arn:aws:secretsmanager:us-east-1:123456789012:secret:hookledger/{provider}-??????"
        read = [text(many(statement["Resource"])[0], template) for owner, statement in statements(template)
                if owner == f"ReceiverRole{id}" and statement["Action"] == "secretsmanager:GetSecretValue"]
        if read != [wanted] or one["Environment"]["Variables"].get("HOOKLEDGER_SECRET_ID") != f"hookledger/{provider}":
            yield f"{provider} reads {read}"


@rule(drop("WorkerSecret*"))
def the_worker_reads_every_secret_that_it_asks_for(template):
    allowed = {text(statement["Resource"], template) for owner, statement in statements(template)
               if owner == "WorkerRole" and statement["Action"] == "secretsmanager:GetSecretValue"}
    # The worker is told of hookledger/ before each name as it was entered.
    for provider in template["Parameters"]["Providers"]["Default"].split(","):
        if f"arn:aws:secretsmanager:us-east-1:123456789012:secret:hookledger/{provider}-??????" not in allowed:
            yield f"the worker is told of hookledger/{provider} and may not read it"


@rule(put("WorkerRole", "Properties", "AssumeRolePolicyDocument", "Statement", 0, "Principal", value={"AWS": "*"}))
def roles_are_for_one_service(template):
    for name, one in every(template, "AWS::IAM::Role").items():
        for statement in one["AssumeRolePolicyDocument"]["Statement"]:
            if statement["Principal"] not in ({"Service": "lambda.amazonaws.com"}, {"Service": "scheduler.amazonaws.com"}):
                yield f"{name} may be assumed by {statement['Principal']}"


@rule(
    drop("HttpPermission*", "Properties", "SourceArn"),
    put("RestPermission*", "Properties", "Principal", value="*"),
    put("RestPermission*", "Properties", "SourceArn", value="arn:aws:execute-api:us-east-1:123456789012:*"),
)
def functions_are_called_by_the_api_alone(template):
    for name, one in every(template, "AWS::Lambda::Permission").items():
        source = one.get("SourceArn", {}).get("Fn::Sub", "") if isinstance(one.get("SourceArn", {}), dict) else ""
        route = name.removeprefix("HttpPermission").removeprefix("RestPermission")
        provider = next((provider for provider, (id, _) in receivers(template).items() if id == route), None)
        api = "${HttpApi}" if name.startswith("Http") else "${RestApi}"
        if one["Principal"] != "apigateway.amazonaws.com" or not source.endswith(f":{api}/*/*/webhooks/{provider}"):
            yield f"{name} lets in {one['Principal']} from {one.get('SourceArn')}"


@rule(put("Worker", "Properties", "Environment", "Variables", "HOOKLEDGER_STRIPE_SECRETS", value="whsec_made_up"))
def no_secret_is_in_an_environment(template):
    for name, one in functions(template).items():
        for variable in one["Environment"]["Variables"]:
            if ("SECRET" in variable and not variable.endswith(("_ID", "_IDS"))) or variable.endswith("_KEY"):
                yield f"{name} has {variable}"


def pad(template):
    for number in range(90):
        grant("WorkerRole", "sqs:SendMessage", f"arn:aws:sqs:us-east-1:123456789012:{'q' * 60}{number}")(template)


@rule(pad)
def roles_fit_their_quota(template):
    # All inline policies of a role together have 10,240 characters (docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html).
    sizes = {}
    for owner, _, document in documents(template):
        plain = {**document, "Statement": [{**one, "Resource": [text(arn, template) for arn in many(one["Resource"])]} for one in document["Statement"]]}
        sizes[owner] = sizes.get(owner, 0) + len(json.dumps(plain, separators=(",", ":")))
    for owner, size in sizes.items():
        if size > 10_240:
            yield f"{owner} has policies of {size} characters"
