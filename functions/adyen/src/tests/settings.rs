//! How merchant accounts capture.

use hookledger::provider::Provider as _;

use crate::Adyen;
use crate::capture::{Capture, Captures};

#[test]
fn an_account_captures_as_it_is_configured() {
    let captures = Captures::parse(" A = auto ,B=manual,C=D=auto").unwrap();
    assert_eq!(captures.of("A"), Some(Capture::Auto));
    assert_eq!(captures.of("B"), Some(Capture::Manual));
    assert_eq!(captures.of("C=D"), Some(Capture::Auto));
    assert_eq!(captures.of("a"), None);
    let others = Captures::parse("*=auto,B=manual").unwrap();
    assert_eq!((others.of("B"), others.of("X")), (Some(Capture::Manual), Some(Capture::Auto)));
    assert_eq!(Captures::default().of("A"), None);
}

#[test]
fn a_value_that_could_be_meant_in_two_ways_is_refused() {
    let no_list = "is not a list like MerchantA=auto,MerchantB=manual";
    for (list, problem) in [
        ("", no_list),
        ("A", no_list),
        ("A=auto,", no_list),
        ("=auto", "has no merchant account before a ="),
        ("A=", "says neither auto nor manual behind a ="),
        ("A=Auto", "says neither auto nor manual behind a ="),
        ("A=auto,A=manual", "names a merchant account twice"),
        ("*=manual", "says *=manual: name the accounts that capture by hand"),
    ] {
        assert_eq!(Captures::parse(list).map(|_| ()), Err(problem), "{list:?}");
    }
}

#[test]
fn the_setting_is_required_and_its_development_value_is_taken() {
    let mut adyen = Adyen::default();
    let [setting] = adyen.settings() else { panic!("one setting") };
    assert!(setting.required);
    assert_eq!(adyen.set(setting.name, setting.development), Ok(()));
    assert_eq!(adyen.set("OTHER", "x"), Err("is unknown"));
    assert!(adyen.set(setting.name, "nonsense").is_err());
}
