//! What may be absent is asked for; what differs in kind is not compared.

use super::{WORKFLOW, library, loan, show};
use engine_definitions::load;

/// What `load` says when the flow asks this.
fn asked(guard: &str) -> String {
    said(&loan().replacen("context.loan.pages > params.days * 10", &format!("\"{guard}\""), 1))
}

/// What `load` says about this flow.
fn said(flow: &str) -> String {
    let mut files = library();
    files.insert(WORKFLOW, flow.as_bytes());
    show(&load(&files).problems)
}

#[track_caller]
fn refused(cases: &[(&str, &str)]) {
    for (guard, expected) in cases {
        let said = asked(guard);
        assert!(said.contains(expected), "{guard}: expected {expected}\ngot {said}");
    }
}

#[test]
fn what_nothing_defines_is_not_read() {
    refused(&[
        (
            "context.loan.titel == 'x'",
            "`context.loan.titel` is never defined: no form, assignment or answer of a call puts it there (did you mean `title`?)",
        ),
        ("get(context.loan, 'titel', '') == 'x'", "`context.loan.titel` is never defined"),
        (
            "context.lone.title == 'x'",
            "`context.lone` is never defined: no form, assignment or answer of a call puts it there (did you mean `loan`?)",
        ),
        (
            "context.offers.north.price > 1",
            "`context.offers.north.price` is never defined: no form, assignment or answer of a call puts it there",
        ),
        ("context.loan.pin == ''", "`context.loan.pin` is never defined"),
        ("context.checking.answers.code == ''", "`context.checking.answers.code` is never defined"),
    ]);
    let data = "data: {offers: context.offers";
    let of_a_step = said(&loan().replacen(data, &format!("{data}, at: context.chosen.at"), 1));
    assert!(of_a_step.contains("`context.chosen` is never defined"), "{of_a_step}");
}

#[test]
fn what_may_be_absent_is_asked_for() {
    refused(&[
        (
            "context.loan.code == 'x'",
            "`context.loan.code` may be absent: its field need not be filled (`has(context.loan.code)` asks, and so does `context.loan.?code.orValue(…)`)",
        ),
        ("context.loan.card == 'x'", "`context.loan.card` may be absent"),
        ("context.loan.title == 'x' || context.loan.code == 'x'", "`context.loan.code` may be absent"),
        ("has(context.loan.code) ? context.loan.card == '' : true", "`context.loan.card` may be absent"),
    ]);
}

#[test]
fn what_differs_in_kind_is_not_compared() {
    refused(&[
        ("context.loan.pages == 'many'", "`context.loan.pages` is a number, never a text"),
        ("context.loan.title > 5", "`context.loan.title` is a text, never a number"),
        (
            "get(context.loan, 'code', 0) < 5",
            "`context.loan.code` may be a text: comparing it with a number fails then",
        ),
        ("context.loan.pages > null", "null has no order"),
    ]);
}

/// A part is given `context.late.at` before and after the flow writes it.
#[test]
fn what_is_read_is_written_on_a_way_that_leads_there() {
    let asks = loan().replacen("\"get(context.loan, 'mobile', '')\"", "context.late.at", 1);
    for (from, to, expected) in [
        (
            "{30d: gone}",
            "{30d: {target: gone, actions: {assign: {late.at: now}}}}",
            "`context.late` is not defined on any way that leads here",
        ),
        ("again: asking", "again: {target: asking, actions: {assign: {late.at: now}}}", ""),
        ("onDone: found", "onDone: {target: found, actions: {assign: {late: {at: now}}}}", ""),
        ("context: {loan: {}", "context: {late: {at: ''}, loan: {}", ""),
        (
            "{target: searching}]",
            "{target: searching, actions: {assign: {late.at: context.late.on}}}]",
            "`context.late.on` is never defined",
        ),
    ] {
        let said = said(&asks.replacen(from, to, 1));
        assert!(if expected.is_empty() { said.is_empty() } else { said.contains(expected) }, "{to}: {said}");
    }
}

#[test]
fn what_is_asked_for_and_what_is_there_may_be_read() {
    for guard in [
        "get(context.loan, 'code', '') != '' && context.loan.code == 'x'",
        "has(context.loan.code) ? context.loan.code == 'x' : false",
        "!has(context.loan.code) || context.loan.code == 'x'",
        "'code' in context.loan && context.loan.code == 'x'",
        "get(context.loan, 'code', '') in ['x', 'y'] ? context.loan.code == 'x' : true",
        "context.loan.pages > 3.5 && context.loan.title != ''",
        "get(context.loan, 'code', null) == null",
        "context.offers.north.output.price > 1 || context.offers[context.loan.title].output.price > 1",
        "context.checking.left > 1 && context.loan.member",
    ] {
        assert_eq!(asked(guard), "", "{guard}");
    }
}
