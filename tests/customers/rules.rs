//! What must hold, whatever a customer does.

use crate::customer::{Customer, LOOK, Paid};
use anyhow::{Result, ensure};
use engine_definitions::is_asked;
use engine_store::Record;
use serde_json::Value;

/// How long money may be under way, by the product's clock.
const LATE_MAX_MS: i64 = 120_000;

impl Customer {
    /// Notes what a page says that is to be paid; where it is asked for, the page says that once more.
    pub fn reads_the_price(&mut self) -> Result<()> {
        if self.line.is_vehicle() || self.has_paid() {
            return Ok(());
        }
        let total = |block: &Value| {
            let lines = block["lines"].as_array().into_iter().flatten();
            lines.filter(|line| line["kind"] == "total").find_map(|line| line["value"]["paise"].as_i64())
        };
        let blocks = self.blocks();
        let fact = |label: &str| {
            let mut facts = blocks.iter().flat_map(|block| block["items"].as_array().into_iter().flatten());
            facts.find(|fact| fact["label"] == label).and_then(|fact| fact["value"]["paise"].as_i64())
        };
        let before = self.said;
        self.said = blocks.iter().find_map(total).or_else(|| fact("New price")).or(self.said);
        if let Some(said) = self.said.filter(|_| self.said != before) {
            self.trail.push(format!("({said} paise)"));
        }
        let asked = fact("Amount");
        ensure!(asked.is_none() || asked == self.said, "{asked:?} is asked for, {:?} was shown", self.said);
        Ok(())
    }

    /// Checks every page: there is a way on, and messages have words and name fields that are on it.
    pub fn sees(&self) -> Result<()> {
        let step = &self.view["step"];
        let (schema, answers) =
            (&step["form"]["schema"], step["form"]["data"].as_object().cloned().unwrap_or_default());
        for message in self.view["messages"].as_array().into_iter().flatten() {
            let pointer = message["pointer"].as_str().unwrap_or_default();
            ensure!(pointer.is_empty() || is_asked(schema, &answers, pointer), "no field {pointer} on the page");
            let text = message["text"].as_str().unwrap_or_default();
            ensure!(!text.is_empty() && !text.starts_with("status "), "a message without words: {message}");
        }
        let ways = step["form"].is_object() || step["redirect"].is_object() || self.waits();
        ensure!(ways || step["review"].is_object() || !self.buttons().is_empty(), "no way on");
        Ok(())
    }

    /// Checks the gateway's page: what is charged is what the card said.
    pub fn is_charged_what_was_shown(&self, charged: i64) -> Result<()> {
        ensure!(Some(charged) == self.price(), "{charged} is charged, {:?} was shown", self.price());
        Ok(())
    }

    /// Checks the policy: it says what was charged, and nothing is sold that the law forbids.
    pub fn is_sold_rightly(&self) -> Result<()> {
        let blocks = self.blocks();
        let lines = blocks.iter().find(|block| block["block"] == "breakup").map(|block| &block["lines"]);
        let lines: Vec<&Value> = lines.and_then(Value::as_array).into_iter().flatten().collect();
        let total = lines.iter().find(|line| line["kind"] == "total").and_then(|line| line["value"]["paise"].as_i64());
        ensure!(total.is_some() && total == self.price(), "the policy says {total:?}, shown was {:?}", self.price());
        if !self.line.is_vehicle() {
            return Ok(());
        }
        let covers_driver = lines.iter().any(|line| line["label"] == "Personal accident of the owner-driver");
        // A proprietor is a person, and drives.
        let is_firm =
            self.answered("owner", "customer_type") == "company" && self.answered("owner", "firm_type") != "proprietor";
        ensure!(!(is_firm && covers_driver), "a firm that drives");
        let alone = self.chosen["action"]["data"]["plan_type"] == "own_damage";
        let declared = !["", "cover"].contains(&self.answered("quotes", "owner_driver").as_str());
        ensure!(covers_driver || alone || is_firm || declared, "a driver without cover who declared nothing");
        let beside = self.answered("previous", "third_party_runs") == "true"
            || self.answered("previous", "policy_type") == "third_party";
        ensure!(!alone || beside, "own damage without third party");
        let years = (self.answered("vehicle", "manufacturing_year"), self.answered("vehicle", "registered_on"));
        ensure!(years.1.is_empty() || years.0 <= years.1, "made in {}, registered on {}", years.0, years.1);
        let is_minor = self.answered("nominee", "nominee_age").parse::<u8>().is_ok_and(|age| age < 18);
        ensure!(!is_minor || !self.answered("nominee", "appointee_name").is_empty(), "a minor nominee alone");

        let fact = |label: &str| {
            let mut facts = blocks.iter().flat_map(|block| block["items"].as_array().into_iter().flatten());
            facts
                .find(|fact| fact["label"] == label)
                .and_then(|fact| fact["value"]["date"].as_str())
                .unwrap_or_default()
        };
        let (from, till) = (fact("From"), fact("Till"));
        ensure!(
            ("2026-11-22"..="2027-01-21").contains(&from) || self.is_new() && from >= "2026-11-21",
            "it starts {from}"
        );
        ensure!(till > from, "it ends {till}");
        let ends = ["third_party_end_date", "previous_policy_end_date"].map(|field| self.answered("previous", field));
        ensure!(!alone || ends.iter().any(|end| end.as_str() > from), "own damage after the third party has ended");
        ensure!(self.chosen["action"]["label"] == "Buy now", "nobody has inspected it");
        Ok(())
    }

    /// Checks the history: played again it gives the same state.
    pub async fn history_agrees(&self) -> Result<()> {
        let differences = self.operations().replay(self.id()).await?;
        ensure!(differences.as_ref().is_some_and(Vec::is_empty), "the history says otherwise: {differences:?}");
        Ok(())
    }

    /// Checks the money: what came in, also late, became the policy, went back, or is with a person of ours who has
    /// promised a time.
    pub async fn money_has_an_end(&mut self, issued: bool) -> Result<()> {
        let (since_ms, mut pause) = (self.now_ms(), LOOK);
        loop {
            let ended = self.money_ends(issued).await;
            if ended.is_ok() || self.now_ms() - since_ms > LATE_MAX_MS {
                return ended;
            }
            self.looks_after(&mut pause).await;
        }
    }

    async fn money_ends(&self, issued: bool) -> Result<()> {
        let came: Vec<&Paid> = self.paid.iter().filter(|paid| paid.comes).collect();
        let kept = usize::from(issued);
        let records = self.store().await.records(self.id()).await?;
        let returned = records.iter().filter(|record| record.kind == "refund").count();
        let incidents = self.store().await.incidents_of(self.id(), 50).await?;
        let open = incidents.iter().any(|incident| incident.closed_at_ms.is_none());
        ensure!(!issued || !came.is_empty() || self.has_agreed, "a policy that nobody paid for");
        let payments: Vec<&Record> = records.iter().filter(|record| record.kind == "payment").collect();
        let amounts: Vec<Option<i64>> = payments.iter().map(|payment| payment.data["amount"].as_i64()).collect();
        // a first instalment is what was asked for where it was paid
        let asked = came.iter().map(|paid| Some(paid.amount)).chain([self.price()]);
        let is_right = asked.into_iter().any(|asked| amounts.contains(&asked));
        ensure!(!issued || is_right, "{:?} was shown, and nobody paid that: {amounts:?}", self.price());
        let kept_ready = |record: &Record| record.kind == "block" && record.data["status"] == "blocked";
        ensure!(!payments.is_empty() || !records.iter().any(kept_ready), "a bank keeps money ready for nothing");
        ensure!(
            came.len() <= kept + returned || open,
            "{} payments, {kept} policies, {returned} refunds, nobody at work",
            came.len()
        );
        Ok(())
    }
}
