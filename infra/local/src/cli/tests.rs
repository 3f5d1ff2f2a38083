use super::*;

fn parsed(line: &str) -> Result<Arguments, ErrorKind> {
    parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.kind())
}

#[test]
fn the_command_line_is_well_formed() {
    Arguments::command().debug_assert();
}

#[test]
fn ports_stand_before_or_behind_a_command() {
    for line in ["x --port 1 --dynamodb-port 2 claims", "x claims --port 1 --dynamodb-port 2"] {
        let Ports { port, dynamodb_port } = parsed(line).unwrap().ports;
        assert_eq!((port, dynamodb_port), (1, 2), "{line}");
    }
    let Ports { port, dynamodb_port } = parsed("x").unwrap().ports;
    assert_eq!((port, dynamodb_port), (9000, 8000));
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    for (line, kind) in [
        ("x --data d send f", ErrorKind::ArgumentConflict),
        ("x send", ErrorKind::MissingRequiredArgument),
        ("x send f --copies 0", ErrorKind::ValueValidation),
        ("x send f --parallel 0", ErrorKind::ValueValidation),
        ("x claims --state open", ErrorKind::InvalidValue),
        ("x ledger --account a --invoice b", ErrorKind::ArgumentConflict),
        ("x ledger --provider strip", ErrorKind::ValueValidation),
        ("x show k --scope s", ErrorKind::MissingRequiredArgument),
        ("x --port 70000", ErrorKind::ValueValidation),
        ("x serve", ErrorKind::InvalidSubcommand),
        ("x stuck --state done", ErrorKind::InvalidValue),
        ("x resolve stripe::e1 --by kim", ErrorKind::MissingRequiredArgument),
        ("x resolve stripe::e1 --by kim --note n --book all", ErrorKind::InvalidValue),
        ("x retry stripe::e1 --scope s", ErrorKind::MissingRequiredArgument),
        ("x retry stripe::e1 --limit 3", ErrorKind::ArgumentConflict),
        ("x audit stripe::e1", ErrorKind::UnknownArgument),
    ] {
        assert_eq!(parsed(line).unwrap_err(), kind, "{line}");
    }
}

#[test]
fn a_key_or_a_providers_id_names_an_account() {
    let key = |text| inside::key(text, "stripe", "acct_1");
    assert_eq!(key("stripe::cus_1"), "stripe::cus_1");
    assert_eq!(key("cus_1"), "stripe:acct_1:cus_1");
    assert_eq!(key("not:a:key"), "stripe:acct_1:not%3Aa%3Akey");
}
