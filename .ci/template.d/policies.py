"""The policies of the rendered template, as IAM would see them, and what parliament says to them."""

import json

import parliament

ACCOUNT = {
    "AWS::Partition": "aws",
    "AWS::Region": "us-east-1",
    "AWS::AccountId": "123456789012",
    "AWS::URLSuffix": "amazonaws.com",
}
NAMED_BY = {
    "AWS::DynamoDB::Table": ("TableName", "arn:aws:dynamodb:us-east-1:123456789012:table/{}"),
    "AWS::Logs::LogGroup": ("LogGroupName", "arn:aws:logs:us-east-1:123456789012:log-group:{}:*"),
    "AWS::SQS::Queue": ("QueueName", "arn:aws:sqs:us-east-1:123456789012:{}"),
}

# What parliament finds and is meant: (owner, issue) and the reason. None, so far.
DECLARED = {}


def documents(template):
    """Owner, name and document of every policy: of roles, and those beside them."""
    for name, one in template["Resources"].items():
        properties = one.get("Properties", {})
        if one["Type"] == "AWS::IAM::Role":
            for policy in properties.get("Policies", []):
                yield name, policy["PolicyName"], policy["PolicyDocument"]
        elif one["Type"] in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
            yield properties["Roles"][0]["Ref"], name, properties["PolicyDocument"]


def statements(template):
    """Owner and statement, of every policy."""
    for owner, _, document in documents(template):
        for statement in document["Statement"]:
            yield owner, statement


def many(value):
    return value if isinstance(value, list) else [value]


def text(value, template):
    """An ARN or another text, with every function resolved as in one account."""
    if isinstance(value, str):
        return value
    function, argument = next(iter(value.items()))
    if function == "Ref":
        return ACCOUNT.get(argument, f"made-up-{argument}")
    if function == "Fn::GetAtt":
        return attribute(*argument, template)
    if function == "Fn::Sub" and isinstance(argument, str):
        return substituted(argument, template)
    raise SystemExit(f"FAILED   a function that the policies' check does not know: {value}")


def substituted(pattern, template):
    before, mark, rest = pattern.partition("${")
    if not mark:
        return before
    variable, _, after = rest.partition("}")
    known = ACCOUNT.get(variable)
    if known is None:
        known = attribute(*variable.split(".", 1), template) if "." in variable else f"made-up-{variable}"
    return before + known + substituted(after, template)


def attribute(resource, name, template):
    one = template["Resources"][resource]
    named, pattern = NAMED_BY[one["Type"]]
    arn = pattern.format(one["Properties"][named])
    # A stream's label is a time; parliament cuts ARNs at every colon, so here it has none.
    return arn + "/stream/2026-01-01T00.00.00" if name == "StreamArn" else arn


def resolved(document, template):
    """The document with plain ARNs."""
    kept = json.loads(json.dumps(document))
    for statement in kept["Statement"]:
        statement["Resource"] = [text(one, template) for one in many(statement["Resource"])]
    return kept


def findings(template):
    """What parliament says: a line each, without what is declared."""
    for owner, name, document in documents(template):
        policy = parliament.analyze_policy_string(json.dumps(resolved(document, template)))
        for finding in policy.findings:
            if (owner, finding.issue) not in DECLARED:
                yield f"{owner}, policy {name}: {finding.issue} {finding.detail}"
