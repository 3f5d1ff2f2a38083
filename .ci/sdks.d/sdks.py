"""The Python SDKs of the providers, asked one line at a time: {"sdk", "do": "sign" | "verify", "secret", "body", "headers", "url"}.

`sign` is answered {"headers", "body"}, `verify` {"accepts"}; both {"error"} where the SDK could not be asked. The first line
says "ready". Each function uses what the SDK offers for the purpose and no more.
"""

import datetime
import importlib
import json
import sys
import time
import types
import urllib.parse

JSON = "application/json"


def adyen_sign(body, secret, **_):
    delivery = json.loads(body)
    for item in delivery["notificationItems"]:
        item = item["NotificationRequestItem"]
        code = module("Adyen.util").generate_notification_sig(item, secret).decode()
        item.setdefault("additionalData", {})["hmacSignature"] = code
    return {}, json.dumps(delivery)


def adyen_verify(body, secret, **_):
    return module("Adyen.util").is_valid_hmac_notification(json.loads(body), secret)


def braintree_sign(secret, **_):
    sample = braintree(secret).webhook_testing.sample_notification("subscription_charged_successfully", "sub_of_the_sdk")
    return {"content-type": "application/x-www-form-urlencoded"}, urllib.parse.urlencode(sample)


def braintree_verify(body, secret, **_):
    form = dict(urllib.parse.parse_qsl(body))
    return braintree(secret).webhook_notification.parse(form["bt_signature"], form["bt_payload"]) is not None


def braintree(secret):
    public, private = secret.split("|")
    sdk = module("braintree")
    return sdk.BraintreeGateway(sdk.Configuration(sdk.Environment.Sandbox, "merchant", public, private))


def coinbase_commerce_verify(body, headers, secret, **_):
    webhook = module("coinbase_commerce.webhook").Webhook
    return webhook.construct_event(body, headers["x-cc-webhook-signature"], secret) is not None


def gocardless_verify(body, headers, secret, **_):
    return len(module("gocardless_pro.webhooks").parse(body, secret, headers["webhook-signature"])) > 0


def paddle_sign(body, secret, **_):
    stamp = now()
    code = module("paddle_billing.Notifications").PaddleSignature.calculate_hmac(secret, f"{stamp}:{body}".encode())
    return {"paddle-signature": f"ts={stamp};h1={code.hexdigest()}"}, body


def paddle_verify(body, headers, secret, **_):
    sdk = module("paddle_billing.Notifications")
    request = types.SimpleNamespace(body=body.encode(), headers={"Paddle-Signature": headers["paddle-signature"]})
    return sdk.Verifier().verify(request, sdk.Secret(secret))


def razorpay_verify(body, headers, secret, **_):
    utility = module("razorpay").Client(auth=("key", "other")).utility
    return utility.verify_webhook_signature(body, headers["x-razorpay-signature"], secret)


def slack_sign(body, secret, **_):
    stamp = str(now())
    code = module("slack_sdk.signature").SignatureVerifier(secret).generate_signature(timestamp=stamp, body=body)
    return {"x-slack-request-timestamp": stamp, "x-slack-signature": code}, body


def slack_verify(body, headers, secret, **_):
    return module("slack_sdk.signature").SignatureVerifier(secret).is_valid_request(body, headers)


def square_verify(body, headers, secret, url):
    return module("square.utils.webhooks_helper").verify_signature(
        request_body=body, signature_header=headers["x-square-hmacsha256-signature"], signature_key=secret, notification_url=url
    )


def standard_sign(body, secret, sdk, prefix="webhook"):
    id, at = f"msg_{prefix}_python", datetime.datetime.now(tz=datetime.timezone.utc)
    code = sdk(secret).sign(id, at, body)
    return {f"{prefix}-id": id, f"{prefix}-timestamp": str(int(at.timestamp())), f"{prefix}-signature": code}, body


def standardwebhooks_sign(body, secret, **_):
    return standard_sign(body, secret, module("standardwebhooks").Webhook)


def standardwebhooks_verify(body, headers, secret, **_):
    return module("standardwebhooks").Webhook(secret).verify(body, headers) is not None


def stripe_verify(body, headers, secret, **_):
    return module("stripe").Webhook.construct_event(body, headers["stripe-signature"], secret) is not None


def svix_sign(body, secret, **_):
    return standard_sign(body, secret, module("svix.webhooks").Webhook, "svix")


def svix_verify(body, headers, secret, **_):
    # Returns nothing, and raises where it refuses.
    module("svix.webhooks").Webhook(secret).verify(body, headers)
    return True


MODULES = [
    "Adyen.util", "braintree", "coinbase_commerce.webhook", "gocardless_pro.webhooks", "paddle_billing.Notifications", "razorpay",
    "slack_sdk.signature", "square.utils.webhooks_helper", "standardwebhooks", "stripe", "svix.webhooks",
]


def module(name):
    return importlib.import_module(name)


def now():
    return int(time.time())


def answer(asked):
    act = globals()[f"{asked['sdk']}_{asked['do']}"]
    given = {"body": asked["body"], "headers": asked.get("headers", {}), "secret": asked["secret"], "url": asked.get("url")}
    if asked["do"] == "sign":
        headers, body = act(**given)
        return {"headers": {"content-type": JSON, **headers}, "body": body}
    try:
        return {"accepts": act(**given) is True}
    except (KeyError, AttributeError, ImportError, TypeError):
        raise
    except Exception as refusal:
        return {"accepts": False, "why": f"{type(refusal).__name__}: {refusal}"}


def main():
    for name in MODULES:
        try:
            module(name)
        except Exception as error:
            print(f"{name} cannot be loaded: {error}", file=sys.stderr)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        try:
            said = answer(json.loads(line))
        except Exception as error:
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), flush=True)


main()
