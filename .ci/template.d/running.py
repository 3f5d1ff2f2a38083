"""Rules about functions, what feeds them, and who watches them."""

import json
import pathlib

from rules import alarms, at, drop, every, functions, is_, mappings, put, receivers, rule

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# An HTTP API waits 30 s for a function, a REST API 29 s (docs.aws.amazon.com/apigateway/latest/developerguide/limits.html).
GATEWAY_WAITS_S = 29

# Metrics whose silence is the fault: then nobody watches any more.
SILENCE_IS_THE_FAULT = {"StuckClaims", "LedgerDrift", "AuditIncomplete"}


# Functions.


@rule(put("Worker", "Properties", "Runtime", value="provided.al2"), drop("StuckClaims", "Properties", "Architectures"))
def functions_run_on_amazon_linux_2023(template):
    for name, one in functions(template).items():
        if (one["Runtime"], one["Handler"]) != ("provided.al2023", "bootstrap"):
            yield f"{name} runs on {one['Runtime']}"
        if one.get("Architectures") != [{"Ref": "Architecture"}]:
            yield f"{name} is for {one.get('Architectures')}"


@rule(
    drop("Worker", "Properties", "LoggingConfig", "LogGroup"),
    put("Worker", "Properties", "LoggingConfig", "LogFormat", value="Text"),
    drop("LedgerAuditLogs", "Properties", "RetentionInDays"),
    drop("AccessLogs", "Properties", "RetentionInDays"),
)
def logs_are_kept_for_a_while(template):
    groups = every(template, "AWS::Logs::LogGroup")
    for name, one in groups.items():
        if one.get("RetentionInDays") != {"Ref": "LogDays"}:
            yield f"{name} is kept for ever"
    for name, one in functions(template).items():
        logging = one.get("LoggingConfig", {})
        if logging.get("LogGroup", {}).get("Ref") not in groups or logging.get("LogFormat") != "JSON":
            yield f"{name} logs to {logging}"


@rule(put("Receiverstripe", "Properties", "Timeout", value=29), put("StuckClaims", "Properties", "Timeout", value=60))
def functions_end_before_who_waits(template):
    for provider, (_, one) in receivers(template).items():
        if one["Timeout"] >= GATEWAY_WAITS_S:
            yield f"{provider} may run for {one['Timeout']} s, and the gateway waits {GATEWAY_WAITS_S} s"
    # The next run starts a minute after this one did.
    if at(template, "StuckClaims")["Timeout"] >= 60:
        yield "a run of StuckClaims may meet the next"
    for name, one in functions(template).items():
        if one["Timeout"] > 900:
            yield f"{name} may run for {one['Timeout']} s"


# What feeds them.


@rule(drop("WorkerClaims", "Properties", "DestinationConfig"), put("LedgerAuditEntries", "Properties", "MaximumRetryAttempts", value=-1))
def streams_give_up_somewhere(template):
    for name, one in mappings(template).items():
        if one.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination") != {"Fn::GetAtt": ["Lost", "Arn"]}:
            yield f"{name} has no destination for what it gives up"
        if not 0 < one.get("MaximumRetryAttempts", -1) <= 100 or not 0 < one.get("MaximumRecordAgeInSeconds", -1) < 86_400:
            yield f"{name} stands still for a day at one record"


@rule(drop("WorkerClaims", "Properties", "FunctionResponseTypes"), put("LedgerAuditEntries", "Properties", "BisectBatchOnFunctionError", value=False))
def streams_fail_by_the_record(template):
    for name, one in mappings(template).items():
        if one.get("FunctionResponseTypes") != ["ReportBatchItemFailures"] or one.get("BisectBatchOnFunctionError") is not True:
            yield f"{name} fails by the batch"


@rule(drop("StuckClaimsEveryMinute", "Properties", "Target", "DeadLetterConfig"), drop("LedgerAuditEveryHour", "Properties", "Target", "RetryPolicy"))
def schedules_give_up_somewhere(template):
    for name, one in every(template, "AWS::Scheduler::Schedule").items():
        target = one["Target"]
        if target.get("DeadLetterConfig") != {"Arn": {"Fn::GetAtt": ["Lost", "Arn"]}}:
            yield f"{name} has no dead letter queue"
        # By default a run is tried for a day, 185 times.
        if not {"MaximumRetryAttempts", "MaximumEventAgeInSeconds"} <= set(target.get("RetryPolicy", {})):
            yield f"{name} has no retry policy"


@rule(put("Lost", "Properties", "SqsManagedSseEnabled", value=False), put("Lost", "Properties", "MessageRetentionPeriod", value=60))
def queues_keep_encrypted_for_two_weeks(template):
    for name, one in every(template, "AWS::SQS::Queue").items():
        if one.get("SqsManagedSseEnabled") is not True or one.get("MessageRetentionPeriod") != 1_209_600:
            yield f"{name} keeps {one.get('MessageRetentionPeriod')} s, encrypted: {one.get('SqsManagedSseEnabled')}"


# Who watches.


def watched(template, namespace, metric, dimension):
    """Whether an alarm counts this metric of this one."""
    return any(
        (one.get("Namespace"), one.get("MetricName")) == (namespace, metric) and dimension in one.get("Dimensions", [])
        for one in alarms(template).values()
    )


@rule(drop("WorkerErrorsAlarm"), drop("ReceiverThrottlesAlarm*"), put("ReceiverErrorsAlarm*", "Properties", "Dimensions", value=[]))
def functions_are_watched(template):
    for name in functions(template):
        for metric in ("Errors", "Throttles"):
            if not watched(template, "AWS/Lambda", metric, {"Name": "FunctionName", "Value": {"Ref": name}}):
                yield f"nobody watches {metric} of {name}"


@rule(drop("WorkerLateAlarm"))
def streams_are_watched(template):
    for name, one in mappings(template).items():
        if not watched(template, "AWS/Lambda", "IteratorAge", {"Name": "FunctionName", "Value": one["FunctionName"]}):
            yield f"nobody watches how late {name} is"


@rule(drop("LostAlarm"))
def queues_are_watched(template):
    for name in every(template, "AWS::SQS::Queue"):
        dimension = {"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}
        if not watched(template, "AWS/SQS", "ApproximateNumberOfMessagesVisible", dimension):
            yield f"nobody watches {name}"


@rule(drop("HttpErrorsAlarm"), drop("RestErrorsAlarm"))
def apis_are_watched(template):
    for name in every(template, "AWS::ApiGatewayV2::Api"):
        if not watched(template, "AWS/ApiGateway", "5xx", {"Name": "ApiId", "Value": {"Ref": name}}):
            yield f"nobody watches 5xx of {name}"
    for one in every(template, "AWS::ApiGateway::RestApi").values():
        if not watched(template, "AWS/ApiGateway", "5XXError", {"Name": "ApiName", "Value": one["Name"]}):
            yield f"nobody watches 5xx of the REST API {one['Name']}"


@rule(drop("LostAlarm", "Properties", "AlarmActions"), put("UnverifiedAlarm*", "Properties", "AlarmActions", value=[]))
def alarms_tell_somebody(template):
    told = {is_({"Fn::If": ["HasTopic", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]})}
    for name, one in alarms(template).items():
        if_only = {is_([{"Ref": "AlarmTopic"}])} if template["Resources"][name].get("Condition") == "HasTopic" else set()
        if is_(one.get("AlarmActions")) not in told | if_only:
            yield f"{name} tells {one.get('AlarmActions')}"
        if not one.get("AlarmDescription"):
            yield f"{name} does not say what it means"


@rule(
    put("StuckClaimsAlarm", "Properties", "TreatMissingData", value="notBreaching"),
    drop("LedgerDriftAlarm", "Properties", "TreatMissingData"),
    put("LostAlarm", "Properties", "TreatMissingData", value="breaching"),
)
def silence_means_what_it_should(template):
    for name, one in alarms(template).items():
        meant = "breaching" if one.get("MetricName") in SILENCE_IS_THE_FAULT else "notBreaching"
        if one.get("TreatMissingData") != meant:
            yield f"{name}: silence is {one.get('TreatMissingData')} and should be {meant}"


# The APIs.


@rule(
    drop("HttpStage", "Properties", "AccessLogSettings"),
    drop("RestApiliveStage", "Properties", "AccessLogSetting"),
    drop("HttpStage", "Properties", "DefaultRouteSettings"),
    put("RestApiliveStage", "Properties", "MethodSettings", value=[]),
)
def apis_are_logged_and_throttled(template):
    for name, one in every(template, "AWS::ApiGatewayV2::Stage").items():
        if not one.get("AccessLogSettings") or "ThrottlingRateLimit" not in one.get("DefaultRouteSettings", {}):
            yield f"{name} is not logged, or lets everything through"
    for name, one in every(template, "AWS::ApiGateway::Stage").items():
        if not one.get("AccessLogSetting") or not all("ThrottlingRateLimit" in each for each in one.get("MethodSettings") or [{}]):
            yield f"{name} is not logged, or lets everything through"


@rule(put("RestApi", "Properties", "Body", "x-amazon-apigateway-binary-media-types", value=["image/png"]))
def rest_hands_on_the_bytes(template):
    for name, one in every(template, "AWS::ApiGateway::RestApi").items():
        if one["Body"].get("x-amazon-apigateway-binary-media-types") != ["*/*"]:
            yield f"{name} reads bodies as text, and a signature is over bytes"


@rule(drop("FirewallAssociation"))
def rest_is_behind_the_firewall(template):
    guarded = [one["ResourceArn"]["Fn::Sub"] for one in every(template, "AWS::WAFv2::WebACLAssociation").values()]
    for name in every(template, "AWS::ApiGateway::RestApi"):
        if not any("${" + name + "}" in arn for arn in guarded):
            yield f"{name} has no firewall"


@rule(put("HttpRoute*", "Properties", "RouteKey", value="ANY /webhooks/{proxy+}"), lambda template: at(template, "RestApi")["Body"]["paths"].pop("/webhooks/slack"))
def every_provider_has_its_route(template):
    routes = {one["RouteKey"] for one in every(template, "AWS::ApiGatewayV2::Route").values()}
    wanted = {f"ANY /webhooks/{provider}" for provider in receivers(template)}
    if routes != wanted:
        yield f"routes of the HTTP API that should not be there, or are missing: {routes ^ wanted}"
    for provider in receivers(template):
        way = at(template, "RestApi")["Body"]["paths"].get(f"/webhooks/{provider}", {})
        uri = way.get("x-amazon-apigateway-any-method", {}).get("x-amazon-apigateway-integration", {}).get("uri")
        if not uri or f":function:hookledger-{provider}/invocations" not in uri["Fn::Sub"]:
            yield f"the REST API does not lead to {provider}"


# The whole.


def without_slack(template):
    for name in [name for name in template["Resources"] if name.endswith("slack")]:
        del template["Resources"][name]
    del template["Resources"]["RestApi"]["Properties"]["Body"]["paths"]["/webhooks/slack"]
    template["Parameters"]["Providers"]["Default"] = template["Parameters"]["Providers"]["Default"].replace(",slack", "")


@rule(without_slack)
def every_function_is_deployed(template):
    built = {f"hookledger-{folder.name}" for folder in (ROOT / "functions").iterdir() if (folder / "Cargo.toml").exists()}
    deployed = {one["FunctionName"] for one in functions(template).values()}
    if built != deployed:
        yield f"built and not deployed, or the other way round: {built ^ deployed}"


@rule(drop("ParkedAlarmslack"), put("Receiverslack", "Properties", "MemorySize", value=128))
def providers_differ_in_names_alone(template):
    kinds = {}
    for provider, (id, _) in receivers(template).items():
        own = {name: one for name, one in template["Resources"].items() if name.endswith(id)}
        own = json.loads(json.dumps(own).replace(f"{provider}", "PROVIDER").replace(f"{id}", "PROVIDER"))
        own["ReceiverPROVIDER"]["Properties"]["Timeout"] = "its own"
        kinds.setdefault(is_(own), []).append(provider)
    if len(kinds) > 1:
        yield f"these are not alike: {sorted(kinds.values(), key=len)[:-1]}"


@rule(
    lambda template: template["Resources"].update({f"Pad{n}": {"Type": "AWS::SNS::Topic"} for n in range(500)}),
    lambda template: template["Outputs"].update({f"Pad{n}": {"Value": "x"} for n in range(200)}),
    lambda template: template["Outputs"].update({"Pad": {"Value": "x" * 1_000_000}}),
)
def the_template_fits_its_quotas(template):
    # docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
    for section, most in [("Resources", 500), ("Outputs", 200), ("Parameters", 200)]:
        if len(template[section]) > most:
            yield f"{len(template[section])} {section} and {most} are allowed"
    size = len(json.dumps(template, separators=(",", ":")))
    if size > 1_000_000:
        yield f"it has {size} bytes and 1 MB is allowed"
