//! The engine's limits, each with a script that breaks it.

use super::*;

fn bundle(draw: &str) -> Bundle {
    Bundle::new(format!("globalThis.draw = {draw};").into_bytes())
}

fn limits() -> Limits {
    Limits { deadline: Duration::from_millis(50), ..Limits::default() }
}

async fn drawn(draw: &str, page: &str) -> Option<Arc<str>> {
    Draw::start(limits()).expect("a thread").html(&bundle(draw), page).await
}

#[tokio::test]
async fn a_page_is_drawn_once_for_everybody_who_wants_it() {
    let draw = Draw::start(limits()).expect("a thread");
    let counting = bundle("(() => { let n = 0; return (page) => `${page} ${++n}`; })()");
    let asked: Vec<_> = "aaaabbbb"
        .chars()
        .map(|page| {
            let (draw, counting) = (draw.clone(), counting.clone());
            tokio::spawn(async move { draw.html(&counting, &page.to_string()).await })
        })
        .collect();
    for (asked, first) in asked.into_iter().zip(["a 1"; 4].into_iter().chain(["b 2"; 4])) {
        assert_eq!(asked.await.expect("no panic").as_deref(), Some(first));
    }
    assert_eq!(draw.html(&counting, "c").await.as_deref(), Some("c 3"));
    // Another script is another page.
    assert_eq!(draw.html(&bundle("(page) => page"), "a").await.as_deref(), Some("a"));
}

#[tokio::test]
async fn what_never_ends_is_ended() {
    let never = ["() => { for (;;) { try { for (;;); } catch {} } }", "() => /^(a+)+$/.test('a'.repeat(60) + 'b')"];
    for script in never {
        let started = Instant::now();
        assert_eq!(drawn(script, "").await, None, "{script}");
        assert!(started.elapsed() < limits().patience, "{script}");
    }
    // A loop that only allocates meets the deadline, not the memory's end.
    assert_eq!(drawn("() => { const all = []; for (;;) all.push(new Array(64).fill(0)); }", "").await, None);
}

#[tokio::test]
async fn the_engine_reaches_nothing_but_itself() {
    let names = "fetch require process std os setTimeout XMLHttpRequest Worker scriptArgs print";
    let script = format!("() => '{names}'.split(' ').filter((name) => name in globalThis).join()");
    assert_eq!(drawn(&script, "").await.as_deref(), Some(""));
}

#[tokio::test]
async fn a_fault_costs_one_page_and_its_engine() {
    let draw = Draw::start(limits()).expect("a thread");
    let script = "(() => { let n = 0; return (page) => { n += 1; if (page === 'bad') throw new Error(page); \
                  return page === 'long' ? 'x'.repeat(2 ** 20 + 1) : page === 'none' ? undefined : `${n}`; }; })()";
    let faulty = bundle(script);
    assert_eq!(draw.html(&faulty, "good").await.as_deref(), Some("1"));
    for page in ["bad", "long", "none"] {
        assert_eq!(draw.html(&faulty, page).await, None, "{page}");
    }
    assert_eq!(draw.html(&faulty, "again").await.as_deref(), Some("1"), "a new engine");
    assert_eq!(draw.html(&bundle("syntax ("), "x").await, None);
    assert_eq!(draw.html(&Bundle::new(*b"1"), "x").await, None);
    assert_eq!(draw.html(&faulty, "more").await.as_deref(), Some("1"));
}

#[tokio::test]
async fn beyond_the_queue_pages_go_without() {
    let draw = Draw::start(Limits { queue: 1, deadline: Duration::from_millis(200), ..Limits::default() });
    let draw = draw.expect("a thread");
    let busy = bundle("() => { for (;;); }");
    let pages: Vec<String> = (0..20).map(|page| page.to_string()).collect();
    let places: Vec<_> = pages.iter().map(|page| draw.0.place(key_of(&busy, page), &busy, page)).collect();
    assert!(places.iter().filter(|place| matches!(place, Ok(None))).count() >= 17);
}
