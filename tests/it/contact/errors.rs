//! Errors of browsers: batches, limits, and nothing when the site does not want them.

use super::*;
use engine_definitions::Files;

async fn counted(visitor: &Visitor, name: &str) -> u64 {
    let metrics = visitor.get("/metrics").await.text();
    metrics.lines().find_map(|line| line.strip_prefix(&format!("{name} "))?.parse().ok()).unwrap_or(0)
}

/// Reports of errors in one test, because metrics are the process's.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_taken_cut_limited_and_only_where_wanted() {
    let server =
        club(|settings| (settings.limits.errors_per_report, settings.limits.error_reports_per_hour_all) = (5, 3)).await;
    let visitor = server.visitor();
    let send = async |visitor: &Visitor, body: Value| {
        visitor.send("POST", "/stackTraceApi", &[("x-journey", "")], Some(body.to_string())).await.status
    };
    let error = |n: usize| json!({"message": format!("x{n} is not a function"), "source": "/a.js:1", "stack": "Error\n at 9876543210"});
    let before = counted(&visitor, "browser_errors_total").await;
    assert_eq!(send(&visitor, (0..3).map(error).collect()).await, 204);
    assert_eq!(counted(&visitor, "browser_errors_total").await - before, 3);
    assert_eq!(send(&visitor, (0..50).map(error).collect()).await, 204);
    assert_eq!(counted(&visitor, "browser_errors_total").await - before, 8, "at most five of one report");
    assert_eq!(send(&visitor, error(1)).await, 204);
    assert_eq!(counted(&visitor, "browser_errors_total").await - before, 9, "a single one, as before");
    // all browsers together have had their reports of this hour
    assert_eq!(send(&server.visitor(), error(1)).await, 204);
    assert_eq!(counted(&visitor, "browser_errors_total").await - before, 9);
    assert!(visitor.get("/join").await.text().contains("\"reports\":{\"url\":\"/stackTraceApi\",\"wait_ms\":5000"));
    server.stop().await;

    let mut files = Files::new();
    for (path, bytes) in fixture("club").iter() {
        let text = String::from_utf8_lossy(bytes).replace("reports: {enabled: true", "reports: {enabled: false");
        files.insert(path.to_string(), text.into_bytes());
    }
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    assert_eq!(send(&visitor, json!([error(1)])).await, 204);
    assert_eq!(counted(&visitor, "browser_errors_total").await - before, 9, "nothing is kept");
    assert!(!visitor.get("/join").await.text().contains("stackTraceApi"));
    server.stop().await;
}
