//! What every page has in common.

use std::fmt::Display;

use http::StatusCode;
use maud::{DOCTYPE, Markup, html};

use super::encoded;
use crate::commands::Step;
use crate::text::{Piece, pieces, pieces_of_lines};

pub(super) fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · hookledger" }
                link rel="stylesheet" href="/style.css";
            }
            body {
                main {
                    header {
                        h1 { a href="/" { "hookledger" } }
                        span.soft { "the stack on this machine, as it was when this page was asked for" }
                    }
                    (content)
                }
            }
        }
    }
}

/// Where the tables cannot be read.
pub(super) fn unreadable(error: &dyn Display) -> (StatusCode, Markup) {
    let content = html! { p.bad { "The tables cannot be read: " (error.to_string()) } };
    (StatusCode::SERVICE_UNAVAILABLE, page("not now", &content))
}

/// One line of a sender's text; what could mislead is shown as an escape, in a colour of its own.
pub(super) fn text(line: &str) -> Markup {
    shown(pieces(line))
}

/// Bytes of a sender's, exactly.
pub(super) fn bytes(body: &[u8]) -> Markup {
    shown(pieces_of_lines(body))
}

fn shown(pieces: Vec<Piece<'_>>) -> Markup {
    html! {
        @for piece in &pieces {
            @match piece {
                Piece::Plain(text) => (text),
                Piece::Escaped(text) => span.esc { (text) },
            }
        }
    }
}

/// A claim's key, leading to its story.
pub(super) fn event(key: &str) -> Markup {
    html! { a.id href=(format!("/events/{}", encoded(key))) { (text(key)) } }
}

/// An account, leading to its entries.
pub(super) fn account(key: &str) -> Markup {
    html! { a.id href=(format!("/accounts/{}", encoded(key))) { (text(key)) } }
}

/// What can be done next.
pub(super) fn steps(steps: &[Step]) -> Markup {
    html! {
        @for step in steps {
            span.step { span.soft { (step.when) ": " } code { (step.command) } }
        }
    }
}

/// How long something has been so, for people.
pub(super) fn age(ms: u64) -> String {
    match ms / 1_000 {
        s @ 0..=119 => format!("{s} s"),
        s @ 120..=7_199 => format!("{} min", s / 60),
        s @ 7_200..=172_799 => format!("{} h", s / 3_600),
        s => format!("{} d", s / 86_400),
    }
}
