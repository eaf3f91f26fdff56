//! Definitions with one mistake each, so that every rule is seen to be broken by it.

use engine_definitions::Files;

pub struct Mistake {
    /// Words of the rule that must be broken.
    pub breaks: &'static str,
    file: &'static str,
    /// What stands in the file, and what would be wrong.
    changes: &'static [(&'static str, &'static str)],
}

pub const MISTAKES: &[Mistake] = &[
    Mistake {
        breaks: "is charged",
        file: "workflows/shared/payment/part.yaml",
        changes: &[("amount: input.amount\n", "amount: input.amount + 100\n")],
    },
    Mistake {
        breaks: "is asked for",
        file: "workflows/shared/payment/views/payment-ways.yaml",
        changes: &[("{'paise': data.amount}", "{'paise': data.amount + 100}")],
    },
    Mistake {
        breaks: "the policy says",
        file: "workflows/motor/car/views/issued.yaml",
        changes: &[("lines_said(data.plan.breakup)", "lines_said(data.plan.breakup.filter(l, l.kind != 'total'))")],
    },
    Mistake {
        breaks: "nobody paid that",
        file: "workflows/shared/purchase/part.yaml",
        changes: &[("amount: event.output.amount, late", "amount: event.output.amount - 100, late")],
    },
    Mistake {
        breaks: "nobody at work",
        file: "workflows/shared/policy/part.yaml",
        changes: &[
            (
                ", {type: incident, reason: issue_refused, detail: {code: event.error.code, insurer: plan.insurer}}, *delayed]",
                ", *delayed]",
            ),
            (
                "&failed {type: incident, reason: issue_failed, detail: {code: event.error.code, insurer: plan.insurer}}",
                "&failed {assign: {my.polls: my.polls}}",
            ),
        ],
    },
    Mistake {
        breaks: "waits for ever",
        file: "workflows/shared/policy/part.yaml",
        changes: &[("look: {guard: \"!my.stuck\",", "look: {guard: \"false\",")],
    },
    Mistake {
        breaks: "no way on",
        file: "workflows/shared/payment/views/payment-failed.yaml",
        changes: &[(
            "  - block: actions\n    items:\n      - {label: Try again, event: retry, style: primary}\n      - {label: Back to my answers, event: leave, style: link}\n",
            "",
        )],
    },
    Mistake {
        breaks: "own damage",
        file: "workflows/motor/car/values.yaml",
        changes: &[
            ("third_party_end > start_of('own_damage')\"", "true\""),
            ("third_party_end >= add_years(start_of('own_damage'), 1)", "true"),
        ],
    },
    Mistake {
        breaks: "a firm that drives",
        file: "workflows/motor/car/values.yaml",
        changes: &[("driver_said == (drives ? 'firm' : 'cover')\"", "false\"")],
    },
    Mistake {
        breaks: "who declared nothing",
        file: "workflows/motor/car/values.yaml",
        changes: &[("isOwnerDriverCover: \"owner_driver == 'cover' ? 1 : 0\"", "isOwnerDriverCover: \"0\"")],
    },
    Mistake {
        breaks: "it starts",
        file: "workflows/motor/car/values.yaml",
        changes: &[("still_early: context.facts.start_on > ahead", "still_early: \"false\"")],
    },
    Mistake {
        breaks: "nobody has inspected it",
        file: "workflows/motor/car/values.yaml",
        changes: &[("inspection_due: inspection_wanted && !is_inspected", "inspection_due: \"false\"")],
    },
    Mistake {
        breaks: "made in",
        file: "workflows/motor/car/values.yaml",
        changes: &[(
            "registered_before_made: dated && context.car.registered_on < string(made_in) + '-01-01'",
            "registered_before_made: \"false\"",
        )],
    },
    Mistake {
        breaks: "a minor nominee alone",
        file: "forms/shared/nominee.json",
        changes: &[(", \"appointee_name\", \"appointee_age\", \"appointee_relation\"]", "]")],
    },
    Mistake {
        breaks: "on the page",
        file: "workflows/motor/car/values.yaml",
        changes: &[("insured_before ? [] : of_last_policy", "[]"), ("is_new ? ['/manufacturing_year'] : []", "[]")],
    },
    Mistake {
        breaks: "the helper sees",
        file: "workflows/roles.yaml",
        changes: &[("plain: [registration]", "plain: [registration, name, email]")],
    },
    Mistake {
        breaks: "whoever helps sees",
        file: "workflows/roles.yaml",
        changes: &[("hidden: [health]", "hidden: []")],
    },
    Mistake {
        breaks: "without words",
        file: "workflows/partners/kits/general-insurer/proposal.sandbox.yaml",
        changes: &[("displayMessage: k.message", "displayMessage: \"'status 422'\"")],
    },
];

impl Mistake {
    /// The shipped definitions with this mistake in them; panics when its place is no longer there.
    pub fn made_in(&self, files: &Files) -> Files {
        let mut files = files.clone();
        let shipped = files.get(self.file).unwrap_or_else(|| panic!("{} is there", self.file));
        let mut text = String::from_utf8(shipped.to_vec()).expect("text");
        for (was, wrong) in self.changes {
            assert!(text.contains(was), "{} has no longer {was}", self.file);
            text = text.replacen(was, wrong, 1);
        }
        files.insert(self.file, text.into_bytes());
        files
    }
}
