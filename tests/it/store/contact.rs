//! Messages that were sent, and who is there.

use super::{DONE, check, effect, event, id, with};
use engine_store::*;
use futures::future::join_all;
use serde_json::json;

fn message(journey: &str, index: i32, state: MessageState, at_ms: i64) -> SentMessage {
    SentMessage {
        effect: EffectKey { journey: journey.into(), seq: 1, index },
        message: "due_back".into(),
        channel: "sms".into(),
        purpose: "service".into(),
        language: "hi".into(),
        template_id: Some("T-1".into()),
        recipient: "*****43210".into(),
        recipient_hash: "ab".repeat(32),
        state,
        provider_id: None,
        reason: Some(json!({"code": "later", "text": "ä"})),
        ordered_at_ms: 10,
        at_ms,
    }
}

fn sent(journey: &str, index: i32, at_ms: i64) -> SentMessage {
    let sent = message(journey, index, MessageState::Sent, at_ms);
    SentMessage { provider_id: Some("p1".into()), reason: None, ..sent }
}

fn of(journey: &str) -> MessageFilter {
    MessageFilter { journey: Some(journey.into()), recipient_hash: None, limit: 0 }
}

#[tokio::test]
async fn a_message_has_one_row_and_what_was_sent_stays_sent() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 50)])).await?;
        let failed = message(&j, 0, MessageState::Failed, 60);
        store.save_message(failed.clone()).await?;
        assert_eq!(store.message(&failed.effect).await?, Some(failed.clone()));
        store.save_message(sent(&j, 0, 70)).await?;
        store.save_message(SentMessage { at_ms: 80, ..failed }).await?;
        assert_eq!(store.messages(of(&j)).await?, [sent(&j, 0, 70)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn messages_are_found_by_journey_and_by_recipient() {
    check(async |node| {
        let (store, j, other) = (&node.store, id(), id());
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 50)])).await?;
        store.commit(with(event(&other, 0), |c| c.effects = vec![effect(&other, 1, 0, 50)])).await?;
        let (hers, theirs) = (sent(&j, 0, 70), message(&other, 0, MessageState::Sent, 90));
        let skipped = SentMessage { recipient_hash: "cd".repeat(32), ..message(&j, 1, MessageState::Skipped, 65) };
        for m in [&hers, &skipped, &theirs, &message(&id(), 0, MessageState::Sent, 1)] {
            store.save_message(m.clone()).await?;
        }
        let by_journey = store.messages(of(&j)).await?;
        assert_eq!(by_journey, [hers.clone(), skipped], "newest first, not the neighbour's");
        let all = |hash: Option<String>, limit| MessageFilter { journey: None, recipient_hash: hash, limit };
        assert_eq!(store.messages(all(Some("ab".repeat(32)), 0)).await?, [theirs.clone(), hers]);
        assert_eq!(store.messages(all(None, 1)).await?, [theirs]);
        assert_eq!(store.messages(of(&id())).await?, []);
        Ok(())
    })
    .await;
}

/// The record of a message goes by its own time.
#[tokio::test]
async fn the_record_of_a_message_outlives_its_effect() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let (sent, skipped) = (sent(&j, 0, 70), message(&j, 1, MessageState::Skipped, 65));
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 50)])).await?;
        for m in [&sent, &skipped] {
            store.save_message(m.clone()).await?;
        }
        store.commit(with(event(&j, 1), |c| c.cancel_effects = vec![sent.effect.clone()])).await?;
        assert!(store.clean(5_000, 100).await? > 0);
        assert_eq!((store.effect(&sent.effect).await?, store.message(&sent.effect).await?), (None, Some(sent.clone())));
        assert_eq!(store.clean_messages(70, 100).await?, 1);
        assert_eq!(store.messages(of(&j)).await?, [sent]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn presence_is_written_for_many_at_once() {
    check(async |node| {
        let store = &node.store;
        let ids: Vec<String> = (0..300).map(|_| id()).collect();
        for done in join_all(ids.iter().map(|j| store.commit(event(j, 0)))).await {
            assert_eq!(done?, DONE);
        }
        let note = |journey: &str, seen_at_ms, online| PresenceNote { journey: journey.into(), seen_at_ms, online };
        let notes = |from: usize, to: usize, at_ms, online| {
            ids[from..to].iter().map(|j| note(j, at_ms, online)).collect::<Vec<_>>()
        };
        let mut first = notes(0, 300, 100, true);
        first.push(note(&id(), 100, true));
        store.note_presence(first).await?;
        store.note_presence(Vec::new()).await?;
        assert_eq!(store.presence(&ids[299]).await?, Some(note(&ids[299], 100, true)));
        assert_eq!(store.presence(&id()).await?, None);
        // two nodes, in any order: the newest counts, also when the older one says that somebody has gone
        let second = node.again().await?;
        let mut gone = notes(100, 300, 200, false);
        gone.reverse();
        let (late, early) = tokio::join!(store.note_presence(notes(0, 200, 300, true)), second.note_presence(gone));
        late?;
        early?;
        for (index, seen_at_ms, online) in [(0, 300, true), (150, 300, true), (250, 200, false)] {
            assert_eq!(store.presence(&ids[index]).await?, Some(note(&ids[index], seen_at_ms, online)));
        }
        store.note_presence(vec![note(&ids[0], 300, false), note(&ids[250], 400, true)]).await?;
        assert_eq!(store.presence(&ids[0]).await?, Some(note(&ids[0], 300, false)));
        assert_eq!(store.presence(&ids[250]).await?, Some(note(&ids[250], 400, true)));
        Ok(())
    })
    .await;
}
