// The Node SDKs of the providers, asked one line at a time: {"sdk", "do": "sign" | "verify", "secret", "body", "headers", "url"}.
//
// `sign` is answered {"headers", "body"}, `verify` {"accepts"}; both {"error"} where the SDK could not be asked. The first line
// says "ready". Each function uses what the SDK offers for the purpose and no more.

import readline from "node:readline";

const JSON_TYPE = "application/json";

// `verify` returns or throws; the SDKs differ in which.
const SDKS = {
  adyen: {
    module: "@adyen/api-library",
    sign: ({ hmacValidator: Validator }, { body, secret }) => {
      const delivery = JSON.parse(body);
      for (const { NotificationRequestItem: item } of delivery.notificationItems) {
        item.additionalData = { ...item.additionalData, hmacSignature: new Validator().calculateHmac(item, secret) };
      }
      return { headers: {}, body: JSON.stringify(delivery) };
    },
    verify: ({ hmacValidator: Validator }, { body, secret }) =>
      JSON.parse(body).notificationItems.every(({ NotificationRequestItem: item }) => new Validator().validateHMAC(item, secret)),
  },
  braintree: {
    module: "braintree",
    sign: (sdk, { secret }) => {
      const kind = "subscription_charged_successfully";
      const sample = braintree(sdk, secret).webhookTesting.sampleNotification(kind, "sub_of_the_sdk_too");
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { headers, body: new URLSearchParams(sample).toString() };
    },
    verify: async (sdk, { body, secret }) => {
      const form = new URLSearchParams(body);
      return Boolean(await braintree(sdk, secret).webhookNotification.parse(form.get("bt_signature"), form.get("bt_payload")));
    },
  },
  coinbase_commerce: {
    module: "coinbase-commerce-node",
    sign: ({ Webhook }, { body, secret }) => ({
      headers: { "x-cc-webhook-signature": Webhook.computeSignature(body, secret) },
      body,
    }),
    verify: ({ Webhook }, { body, headers, secret }) =>
      Boolean(Webhook.verifyEventBody(body, headers["x-cc-webhook-signature"], secret)),
  },
  github: {
    module: "@octokit/webhooks-methods",
    sign: async ({ sign }, { body, secret }) => ({
      headers: { "x-hub-signature-256": await sign(secret, body), "x-github-event": "push", "x-github-delivery": crypto.randomUUID() },
      body,
    }),
    verify: ({ verify }, { body, headers, secret }) => verify(secret, body, headers["x-hub-signature-256"]),
  },
  gocardless: {
    module: "gocardless-nodejs",
    verify: ({ parse }, { body, headers, secret }) => parse(body, secret, headers["webhook-signature"]).length > 0,
  },
  paddle: {
    module: "@paddle/paddle-node-sdk",
    verify: ({ Paddle }, { body, headers, secret }) =>
      new Paddle("made_up_key").webhooks.isSignatureValid(body, secret, headers["paddle-signature"]),
  },
  razorpay: {
    module: "razorpay",
    verify: ({ default: Razorpay }, { body, headers, secret }) =>
      Razorpay.validateWebhookSignature(body, headers["x-razorpay-signature"], secret),
  },
  shopify: {
    module: "@shopify/shopify-api",
    sign: async (_, { body, secret }) => {
      const { createSHA256HMAC } = await import("@shopify/shopify-api/runtime");
      return { headers: { ...SHOP, "x-shopify-hmac-sha256": await createSHA256HMAC(secret, body) }, body };
    },
    verify: async (sdk, { body, headers, secret }) => {
      const settings = { apiKey: "key", apiSecretKey: secret, hostName: "hooks.example", isEmbeddedApp: true, scopes: [] };
      const shop = sdk.shopifyApi({ ...settings, apiVersion: sdk.ApiVersion.July26, logger: { level: 0 } });
      const said = await shop.webhooks.validate({ rawBody: body, rawRequest: { method: "POST", url: "/", headers } });
      if (!said.valid) throw new Error(JSON.stringify(said));
      return true;
    },
  },
  slack: {
    module: "@slack/bolt",
    verify: ({ isValidSlackRequest }, { body, headers, secret }) =>
      isValidSlackRequest({
        signingSecret: secret,
        body,
        headers: { ...headers, "x-slack-request-timestamp": Number(headers["x-slack-request-timestamp"]) },
      }),
  },
  square: {
    module: "square",
    verify: ({ WebhooksHelper }, { body, headers, secret, url }) =>
      WebhooksHelper.verifySignature({
        requestBody: body,
        signatureHeader: headers["x-square-hmacsha256-signature"],
        signatureKey: secret,
        notificationUrl: url,
      }),
  },
  standardwebhooks: {
    module: "standardwebhooks",
    sign: ({ Webhook }, asked) => standard(Webhook, asked, "webhook"),
    verify: ({ Webhook }, { body, headers, secret }) => Boolean(new Webhook(secret).verify(body, headers)),
  },
  stripe: {
    module: "stripe",
    sign: ({ Stripe: { webhooks } }, { body, secret }) => ({
      headers: { "stripe-signature": webhooks.generateTestHeaderString({ payload: body, secret }) },
      body,
    }),
    verify: ({ Stripe: { webhooks } }, { body, headers, secret }) =>
      Boolean(webhooks.constructEvent(body, headers["stripe-signature"], secret)),
  },
  svix: {
    module: "svix",
    sign: ({ Webhook }, asked) => standard(Webhook, asked, "svix"),
    verify: ({ Webhook }, { body, headers, secret }) => Boolean(new Webhook(secret).verify(body, headers)),
  },
};

const SHOP = { "x-shopify-topic": "orders/paid", "x-shopify-shop-domain": "made-up.myshopify.com", "x-shopify-webhook-id": "w-1" };

function braintree(sdk, secret) {
  const [publicKey, privateKey] = secret.split("|");
  return new sdk.BraintreeGateway({ environment: sdk.Environment.Sandbox, merchantId: "merchant", publicKey, privateKey });
}

function standard(Webhook, { body, secret }, prefix) {
  const [id, at] = [`msg_${prefix}_node`, new Date()];
  const code = new Webhook(secret).sign(id, at, body);
  const stamp = String(Math.floor(at / 1000));
  return { headers: { [`${prefix}-id`]: id, [`${prefix}-timestamp`]: stamp, [`${prefix}-signature`]: code }, body };
}

const loaded = {};

async function load(name) {
  const module = await import(name);
  // CommonJS stands in `default`; only a part of it is seen beside it.
  return { ...module.default, ...module };
}

async function answer(asked) {
  const sdk = loaded[asked.sdk];
  if (!sdk) throw new Error("it is not loaded");
  if (asked.do === "sign") {
    const { headers, body } = await SDKS[asked.sdk].sign(sdk, asked);
    return { headers: { "content-type": JSON_TYPE, ...headers }, body };
  }
  try {
    return { accepts: (await SDKS[asked.sdk].verify(sdk, asked)) === true };
  } catch (refusal) {
    if (refusal instanceof TypeError || refusal instanceof ReferenceError) throw refusal;
    return { accepts: false, why: String(refusal?.message ?? refusal) };
  }
}

for (const [name, { module }] of Object.entries(SDKS)) {
  try {
    loaded[name] = await load(module);
    if (name === "shopify") await import("@shopify/shopify-api/adapters/node");
  } catch (error) {
    console.error(`${module} cannot be loaded: ${error}`);
  }
}
console.log(JSON.stringify("ready"));
for await (const line of readline.createInterface({ input: process.stdin })) {
  let said;
  try {
    said = await answer(JSON.parse(line));
  } catch (error) {
    said = { error: String(error) };
  }
  console.log(JSON.stringify(said));
}
