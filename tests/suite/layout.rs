//! The shape of the code, as a test: layers in order, one sender, one place for each secret of the trade.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Rust files below `dir`, without their test modules.
fn sources(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            found.push((path, code));
        }
    }
    found
}

/// The sources of the shared crate by the layer they belong to.
fn layers() -> (Vec<String>, BTreeMap<String, String>) {
    let shared = root().join("shared/src");
    let lib = fs::read_to_string(shared.join("lib.rs")).unwrap();
    let order: Vec<String> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect();
    let mut code: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in sources(&shared) {
        let inside = path.strip_prefix(&shared).unwrap();
        let layer = inside.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        code.entry(layer).or_default().push_str(&text);
    }
    code.remove("lib");
    (order, code)
}

#[test]
fn each_layer_names_only_those_before_it() {
    let (order, code) = layers();
    assert!(order.len() > 8, "lib.rs lists the layers: {order:?}");
    assert_eq!(code.keys().len(), order.len(), "every module is listed in lib.rs");
    for (at, layer) in order.iter().enumerate() {
        for later in &order[at + 1..] {
            let text = &code[layer];
            let names = text.contains(&format!("crate::{later}::")) || text.contains(&format!("crate::{later};"));
            assert!(!names, "{layer} names {later}, which stands after it");
        }
    }
}

#[test]
fn only_the_store_sends_and_only_the_runtime_knows_the_time_and_the_environment() {
    let (_, code) = layers();
    let alone = [
        ("store", vec!["aws_sdk_dynamodb::Client", ".transact_write_items()", ".get_item()", ".update_item()"]),
        ("runtime", vec!["SystemTime", "std::env", "aws_lambda_events", "lambda_runtime"]),
        ("request", vec!["hmac::", "ct_eq"]),
        ("items", vec!["\"raw_digest\"", "\"recorded_at_ms\"", "\"expires_at\"", "\"payload_parts\"", "\"due_at_ms\""]),
    ];
    assert!(code.values().all(|text| !text.contains("Instant::now")), "the clock that is handed down tells the time");
    for (owner, words) in alone {
        for word in words {
            assert!(code[owner].contains(word), "{word} is not in {owner} any more: mend this test");
            for (layer, text) in code.iter().filter(|(layer, _)| *layer != owner) {
                assert!(!text.contains(word), "{layer} uses {word}, which is {owner}'s alone");
            }
        }
    }
}

#[test]
fn the_shared_crate_names_no_provider() {
    let providers: Vec<String> =
        hookledger_worker::providers().iter().map(|provider| provider.profile().name.to_owned()).collect();
    assert!(providers.contains(&"stripe".to_owned()));
    let (_, code) = layers();
    for (layer, text) in code {
        for provider in &providers {
            assert!(!text.to_lowercase().contains(provider), "{layer} names {provider}");
        }
    }
}

#[test]
fn files_can_be_held() {
    let mut long = Vec::new();
    for top in ["shared", "functions", "infra", "tests"] {
        for (path, _) in sources(&root().join(top)) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > 400 {
                long.push(format!("{}: {lines}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "longer than 400 lines: {long:?}");
}
