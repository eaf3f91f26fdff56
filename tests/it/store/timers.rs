//! Timers.

use super::{DONE, check, claim, event, id, with};
use engine_store::*;

#[tokio::test]
async fn a_timer_fires_once_or_not_at_all() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let set = |list: &[(&str, i64)]| {
            list.iter().map(|(id, due)| NewTimer { id: (*id).into(), due_at_ms: *due }).collect::<Vec<_>>()
        };
        let fire = |seq, timer: &str| with(event(&j, seq), |c| c.fires = Some(timer.into()));
        let ids = |timers: Vec<TimerRecord>| timers.into_iter().map(|t| t.id).collect::<Vec<_>>();
        store.commit(with(event(&j, 0), |c| c.timers = set(&[("late", 30), ("soon", 10), ("never", 20)]))).await?;
        assert_eq!(store.next_due().await?, Some(10));
        assert_eq!(ids(store.claim_timers(claim(9)).await?), [""; 0]);
        assert_eq!(ids(store.claim_timers(claim(20)).await?), ["soon", "never"]);
        assert_eq!(ids(store.claim_timers(claim(20)).await?), [""; 0], "leased");
        // cancelled while it is being delivered
        assert_eq!(store.commit(with(event(&j, 1), |c| c.cancel_timers = vec!["never".into()])).await?, DONE);
        assert_eq!(store.commit(fire(2, "never")).await?, Committed::Superseded);
        assert_eq!(store.commit(fire(2, "soon")).await?, DONE);
        assert_eq!(store.commit(fire(3, "soon")).await?, Committed::Superseded);
        assert_eq!(ids(store.claim_timers(claim(40)).await?), ["late"]);
        assert_eq!(ids(store.claim_timers(claim(140)).await?), ["late"], "its worker died");
        assert_eq!(store.commit(fire(9, "late")).await?, Committed::Moved);
        // set anew in the commit that removes it, and in the commit that fires it
        let anew = with(event(&j, 3), |c| {
            c.cancel_timers = vec!["late".into()];
            c.timers = set(&[("late", 700)]);
        });
        assert_eq!(store.commit(anew).await?, DONE);
        let again = with(fire(4, "late"), |c| c.timers = set(&[("late", 800)]));
        assert_eq!(store.commit(again).await?, DONE);
        assert_eq!(store.next_due().await?, Some(800));
        assert_eq!(store.commit(fire(5, "late")).await?, DONE);
        assert_eq!(store.next_due().await?, None);
        Ok(())
    })
    .await;
}
