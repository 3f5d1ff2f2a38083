//! Every provider there is: a new one adds its line here, and nothing else to code that is not its own.

use std::sync::Arc;

use hookledger::provider::Provider;

/// The providers, in the order they are shown.
pub fn providers() -> Vec<Arc<dyn Provider>> {
    vec![
        Arc::new(hookledger_stripe::Stripe),
        Arc::new(hookledger_gocardless::GoCardless),
        Arc::new(hookledger_github::GitHub),
        Arc::new(hookledger_adyen::Adyen::default()),
        Arc::new(hookledger_checkout::Checkout),
        Arc::new(hookledger_square::Square::default()),
        Arc::new(hookledger_paddle::Paddle),
        Arc::new(hookledger_razorpay::Razorpay::default()),
        Arc::new(hookledger_braintree::Braintree),
        Arc::new(hookledger_mollie::Mollie::default()),
        Arc::new(hookledger_paypal::PayPal),
        Arc::new(hookledger_standard_webhooks::StandardWebhooks::default()),
        Arc::new(hookledger_shopify::Shopify),
        Arc::new(hookledger_slack::Slack),
        Arc::new(hookledger_paystack::Paystack),
        Arc::new(hookledger_coinbase_commerce::CoinbaseCommerce),
        Arc::new(hookledger_recurly::Recurly),
    ]
}

/// The provider of this name.
pub fn provider(name: &str) -> Option<Arc<dyn Provider>> {
    providers().into_iter().find(|provider| provider.profile().name == name)
}

/// The names of all, as a person reads a list.
pub fn names() -> String {
    let names: Vec<_> = providers().iter().map(|provider| provider.profile().name).collect();
    names.join(", ")
}

/// The shortest time for which a provider's claims are kept once they are done, in seconds.
pub fn retention_s_min() -> u64 {
    providers().iter().map(|provider| provider.profile().lifetime.retention_s).min().unwrap_or_default()
}
