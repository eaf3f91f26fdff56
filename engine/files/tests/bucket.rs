//! Bytes in a bucket, held against a server that speaks S3 and checks signatures.

use engine_files::{Blobs, Bucket};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;

/// A server with one bucket, until the test ends: its address.
async fn server(folder: &std::path::Path) -> String {
    std::fs::create_dir(folder.join("papers")).expect("a bucket");
    let mut service = S3ServiceBuilder::new(FileSystem::new(folder).expect("a folder"));
    service.set_auth(SimpleAuth::from_single("us", "our secret"));
    let service = service.build();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let service = service.clone();
            tokio::spawn(async move {
                let http = Builder::new(TokioExecutor::new());
                let _ = http.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    });
    format!("http://{address}")
}

fn bucket(endpoint: &str, secret: &str) -> Blobs {
    Blobs::in_bucket(Bucket {
        name: "papers".into(),
        region: "ap-south-1".into(),
        endpoint: endpoint.into(),
        key: "us".into(),
        secret: secret.into(),
        prefix: "journey/one".into(),
    })
}

#[tokio::test]
async fn a_bucket_holds_what_was_put() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = server(folder.path()).await;
    let blobs = bucket(&endpoint, "our secret");
    assert_eq!(blobs.get("a/b/1").await.expect("get"), None);
    let large: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    blobs.put("a/b/1", large.clone()).await.expect("put");
    blobs.put("a/b/1", large.clone()).await.expect("put again");
    blobs.put("a/c/2", b"two".to_vec()).await.expect("put");
    blobs.put("ab/3", b"three".to_vec()).await.expect("put");
    assert_eq!(blobs.get("a/b/1").await.expect("get").as_deref(), Some(large.as_slice()));
    let mut names = blobs.below("a").await.expect("a list");
    names.sort();
    assert_eq!(names, ["b/1", "c/2"], "without what only begins so");
    assert!(folder.path().join("papers/journey/one/a/c/2").exists(), "it lies where the settings say");
    blobs.remove("a/b/1").await.expect("removed");
    blobs.remove("a/b/1").await.expect("twice");
    assert_eq!(blobs.below("a").await.expect("a list"), ["c/2"]);
    assert!(bucket(&endpoint, "another secret").put("a/d/4", b"no".to_vec()).await.is_err(), "it knows us");
}
