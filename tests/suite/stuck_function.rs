//! The function as it is invoked: every sample input, the schedule, and what cannot be done.

use std::sync::Arc;

use hookledger::runtime::WatchHandler;
use hookledger_tests::{Fault, World, each, samples};
use lambda_runtime::{Context, LambdaEvent};
use serde_json::{Value, json};

async fn invoke(world: &World, input: Value) -> Result<Value, lambda_runtime::Error> {
    WatchHandler::new(Arc::new(world.watch())).handle(LambdaEvent::new(input, Context::default())).await
}

#[tokio::test]
async fn every_sample_input_is_an_action_that_can_be_asked_for() {
    let mut seen = Vec::new();
    for (name, body) in samples("stuck-claims") {
        let world = World::new().await;
        world.set_aside("e1").await;
        let rows = world.rows().await;
        let input: Value = serde_json::from_slice(&body).unwrap();
        let answer = invoke(&world, input.clone()).await.unwrap();
        let refused = answer["error"]
            .as_str()
            .map(|error| error.contains("there is no claim") || error.contains("there is no row"));
        assert_ne!(refused, Some(false), "{name}: {answer}");
        assert_eq!(world.rows().await, rows, "{name}: no row is made");
        seen.push(input["action"].as_str().unwrap_or("schedule").to_owned());
    }
    for action in ["schedule", "run", "check_retention", "list", "show", "retry", "park", "resolve"] {
        assert!(seen.iter().any(|name| name == action), "an input for {action}");
    }
}

#[tokio::test]
async fn the_samples_fit_rows_that_are_there() {
    for (name, body) in samples("stuck-claims") {
        let input = String::from_utf8(body).unwrap();
        if !input.contains("stripe::evt_1MadeUp") || input.contains("mismatch#") {
            continue;
        }
        let world = World::new().await;
        world.set_aside("evt_1MadeUp").await;
        let input: Value = serde_json::from_str(&input.replace("stripe::", "test::")).unwrap();
        let answer = invoke(&world, input.clone()).await.unwrap();
        let fits = match input["action"].as_str().unwrap() {
            "show" => answer["claim"]["claim"] == "test::evt_1MadeUp",
            // It is parked already, which is said row by row.
            "park" => answer["rows"][0]["refused"] == "it is parked already",
            _ => answer["changed"] == 1,
        };
        assert!(fits, "{name}: {answer}");
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_an_answer_and_what_was_not_asked_a_failure() {
    let world = World::builder().no_retries().build().await;
    world.set_aside("e1").await;
    let answer = invoke(&world, json!({"action": "retry", "key": "test::e9"})).await.unwrap();
    assert_eq!(answer, json!({"error": "there is no claim test::e9"}));
    let answer = invoke(&world, json!({"action": "restart"})).await.unwrap();
    assert!(answer["error"].as_str().unwrap().contains("unknown variant `restart`"), "{answer}");
    world.wire.inject(each("GetItem"), Fault::Refuse);
    assert!(invoke(&world, json!({"action": "retry", "key": "test::e1"})).await.is_err());
}
