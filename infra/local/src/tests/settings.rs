use std::ffi::OsString;

use hookledger::provider::Mode;
use hookledger::request::KeySet;

use crate::settings::Settings;

fn read(vars: &[(&str, &str)]) -> Result<Settings, Vec<String>> {
    Settings::read(vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
}

#[test]
fn without_variables_there_is_the_development_secret() {
    let settings = Settings::development();
    let stripe = settings.of("stripe").unwrap();
    assert_eq!(
        (stripe.keys.clone(), stripe.configured),
        (KeySet::parse(stripe.provider.development_secret()).unwrap(), false)
    );
    assert_eq!(settings.mode, Mode::Live);
    assert!(settings.gate_bytes > 0);
    assert!(settings.of("unheard-of").is_none());
}

#[test]
fn variables_are_obeyed_and_strangers_left_alone() {
    let vars = [
        ("HOOKLEDGER_MODE", "test"),
        ("HOOKLEDGER_STRIPE_SECRETS", "shop@whsec_a, whsec_b"),
        ("HOOKLEDGER_GATE_BYTES", "0"),
        ("HOOKLEDGER_CLAIMS_TABLE", "of-another-deployment"),
        ("PATH", "/bin"),
    ];
    let settings = read(&vars).unwrap();
    let stripe = settings.of("stripe").unwrap();
    assert_eq!((settings.mode, settings.gate_bytes, stripe.configured), (Mode::Test, 0, true));
    assert_eq!(stripe.keys, KeySet::parse("shop@whsec_a,whsec_b").unwrap());
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_no_value_with_it() {
    let vars = [
        ("HOOKLEDGER_MODE", "hush"),
        ("HOOKLEDGER_STRIPE_SECRETS", "hush,"),
        ("HOOKLEDGER_STRIPE_SECRET", "hush"),
        ("HOOKLEDGER_MODUS", "hush"),
    ];
    let problems = read(&vars).err().unwrap();
    for (name, _) in vars {
        assert!(problems.iter().any(|line| line.starts_with(&format!("{name} "))), "{name}: {problems:?}");
    }
    assert_eq!(problems.len(), vars.len());
    assert!(!problems.concat().contains("hush"), "{problems:?}");
}

#[test]
fn the_workers_variables_are_read_and_checked() {
    let vars = [("HOOKLEDGER_STRIPE_API_URL", "http://127.0.0.1:1"), ("HOOKLEDGER_WORKER_FETCH_MS", "500")];
    let settings = read(&vars).unwrap();
    assert_eq!((settings.worker.fetch_ms, settings.apis["stripe"].url.as_str()), (500, "http://127.0.0.1:1"));
    let problems = read(&[("HOOKLEDGER_WORKER_RUN_MS", "60000"), ("HOOKLEDGER_STRIPE_API_URL", "hush")]).err().unwrap();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(!problems.concat().contains("hush"), "{problems:?}");
}
