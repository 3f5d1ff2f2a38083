//! JSON pointers, by the examples of RFC 6901.

use hookledger::json::Object;

use crate::pointer::Pointer;

const BODY: &str = r#"{"foo": [{"bar": "x"}, {"bar": "y"}], "": "e", "a/b": "1", "c%d": "2", "m~n": "8", "~1": "9",
    "deep": {"": {"of": "z"}}, "none": null, "list": ["s"]}"#;

fn read(pointer: &str) -> Option<String> {
    let body = Object::parse(BODY.as_bytes()).unwrap();
    Pointer::parse(pointer).unwrap().text(&body).unwrap()
}

#[test]
fn pointers_lead_to_fields() {
    for (pointer, text) in [
        ("/foo/0/bar", "x"),
        ("/foo/1/bar", "y"),
        ("/", "e"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/m~0n", "8"),
        ("/~01", "9"),
        ("/deep//of", "z"),
    ] {
        assert_eq!(read(pointer).as_deref(), Some(text), "{pointer}");
    }
    for nothing in ["/gone", "/gone/at/all", "/foo/2/bar", "/foo/-/bar", "/foo/x/bar", "/none", "/none/x", "/list/0"] {
        assert_eq!(read(nothing), None, "{nothing}");
    }
}

#[test]
fn what_is_no_pointer_is_refused() {
    for (text, why) in [
        ("", "has a pointer that does not begin with a slash"),
        ("data/id", "has a pointer that does not begin with a slash"),
        ("$.data.id", "has a pointer that does not begin with a slash"),
        ("/a~", "has a pointer with a ~ that is neither ~0 nor ~1"),
        ("/a~~0", "has a pointer with a ~ that is neither ~0 nor ~1"),
        ("/a~é", "has a pointer with a ~ that is neither ~0 nor ~1"),
    ] {
        assert_eq!(Pointer::parse(text), Err(why), "{text}");
    }
}
