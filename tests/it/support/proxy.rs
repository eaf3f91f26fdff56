//! nginx as a cache that many share, in front of a product: it keeps what the answers allow, and says what it did in
//! `x-kept` (`HIT`, `MISS`, …).

use crate::server::until;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct CachingProxy {
    nginx: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl CachingProxy {
    /// Starts one before the product of this address.
    pub async fn before(product: &str) -> CachingProxy {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        std::fs::write(folder.path().join("nginx.conf"), settings(folder.path(), port, product)).expect("written");
        let mut nginx = Command::new("nginx");
        nginx.arg("-p").arg(folder.path()).args(["-e", "stderr", "-c", "nginx.conf"]);
        let nginx = nginx.stdout(Stdio::null()).spawn().expect("nginx, which .ci/setup installs");
        let proxy = CachingProxy { nginx, port, _folder: folder };
        let answers = async || reqwest::get(proxy.url() + "/readyz").await.ok().filter(|reply| reply.status() == 200);
        until("the proxy", answers).await;
        proxy
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for CachingProxy {
    fn drop(&mut self) {
        let _ = self.nginx.kill();
        let _ = self.nginx.wait();
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// One process that stays in front: no workers are left behind when it ends.
fn settings(folder: &Path, port: u16, product: &str) -> String {
    let folder = folder.display();
    format!(
        "daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr crit;
        events {{}}
        http {{
            access_log off;
            client_body_temp_path {folder}/body; proxy_temp_path {folder}/answers; fastcgi_temp_path {folder}/f;
            uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
            proxy_cache_path {folder}/kept keys_zone=kept:1m;
            server {{
                listen 127.0.0.1:{port};
                location / {{
                    proxy_pass {product};
                    proxy_cache kept;
                    add_header x-kept $upstream_cache_status always;
                }}
            }}
        }}"
    )
}
