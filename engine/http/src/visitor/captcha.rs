//! Whoever asks for many messages from one network proves to be no robot: on a page of the captcha
//! partner that the settings name, else by work that the browser does by itself.

use crate::app::App;
use crate::connection::middleware::Client;
use engine_definitions::{Catalog, Operation, Partner};
use engine_partners::CallOutcome;
use engine_runtime::{Actor, ProofOfWork, Refusal, StepView};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use utoipa::ToSchema;

/// What must be done before the same request is sent again, with its result as `X-Proof`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Challenge {
    Work(ProofOfWork),
    Captcha(CaptchaPage),
}

/// Show this page in a frame: it posts a message `{token}` to the page around it. The result is the token.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CaptchaPage {
    pub page: String,
}

/// Until when this process takes the captcha's partner to be away.
#[derive(Default)]
pub struct Captcha {
    away_until_ms: AtomicI64,
}

const CONTRACT: &str = "captcha/verify";
/// How long after a call that failed nobody is sent to the partner's page.
const AWAY_MS: i64 = 60_000;
const TOKEN_BYTES_MAX: usize = 4_096;

impl App {
    pub fn challenge(&self, client: Client) -> Challenge {
        let is_here = self.captcha.away_until_ms.load(Ordering::Relaxed) <= self.runtime.now_ms();
        let page = is_here.then(|| self.captcha_page()).flatten();
        page.map_or_else(|| Challenge::Work(self.runtime.people.challenge(&client.network())), Challenge::Captcha)
    }

    /// Puts into a step the work without which a code would be refused there: whoever does it ahead sends once.
    pub async fn work_ahead(&self, actor: &Actor, client: Client, view: &mut StepView) {
        let catalog = self.runtime.catalog();
        let sends = catalog.workflow(&view.journey.workflow).is_some_and(|workflow| workflow.sends_codes());
        if sends
            && actor.signed_in().is_none()
            && self.runtime.people.asks_proof(actor).await.is_ok_and(|asks| asks)
            && let Challenge::Work(work) = self.challenge(client)
        {
            view.work = Some(work);
        }
    }

    /// Whether this is what a challenge asked of this client, shown for the first time.
    pub async fn proves(&self, client: Client, proof: &str) -> Result<bool, Refusal> {
        if self.runtime.people.proves(&client.network(), proof).await? {
            return Ok(true);
        }
        let catalog = self.runtime.catalog();
        let Some(asked) = self.provider(&catalog).filter(|_| proof.len() <= TOKEN_BYTES_MAX) else {
            return Ok(false);
        };
        let input = json!({"token": proof, "address": client.0.to_string()});
        match self.ask(&catalog, asked, &input).await {
            CallOutcome::Done { output, .. } => {
                Ok(output["ok"] == true && self.runtime.people.first_proof(proof).await?)
            }
            CallOutcome::Failed(_) | CallOutcome::NotBegun => {
                self.captcha.away_until_ms.store(self.runtime.now_ms() + AWAY_MS, Ordering::Relaxed);
                Ok(false)
            }
        }
    }

    fn provider<'c>(&self, catalog: &'c Catalog) -> Option<(&'c Arc<Partner>, &'c Arc<Operation>)> {
        catalog.for_contract(CONTRACT, self.settings.otp.captcha.as_deref()?)
    }

    /// The partner's `data.page`, below its own address unless it is a whole one.
    fn captcha_page(&self) -> Option<CaptchaPage> {
        let catalog = self.runtime.catalog();
        let (partner, _) = self.provider(&catalog)?;
        let (bound, target) = engine_partners::client::target::bound(&self.settings, partner).ok()?;
        let base = url::Url::parse(&format!("{}/", target.public)).ok()?;
        Some(CaptchaPage { page: base.join(bound.data["page"].as_str()?).ok()?.into() })
    }
}
