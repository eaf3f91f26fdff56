//! Which network addresses may be reached: the gate against requests to our own network (server-side request forgery).
//!
//! The check is made on the addresses that the connection then uses, so a name cannot change its mind in between.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Resolves by the system and refuses the whole name when any of its addresses is not public.
pub struct PublicOnly;

#[derive(Debug, thiserror::Error)]
#[error("the name leads to an address that is not public")]
pub struct NotPublic;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().all(|address| is_public(address.ip())) {
                Ok(Box::new(found.into_iter()) as Addrs)
            } else {
                Err(NotPublic.into())
            }
        })
    }
}

/// Whether this is a unicast address of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => is_public_v4(v4),
            None => is_public_v6(v6),
        },
    }
}

/// Registry: IANA IPv4 Special-Purpose Address Registry.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b));
    !special
}

/// Registry: IANA IPv6 Special-Purpose Address Registry; only 2000::/3 is given out.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    let given_out = s[0] & 0xe000 == 0x2000;
    let special = (s[0] == 0x2001 && (s[1] < 0x0200 || s[1] == 0x0db8)) || (s[0] == 0x3fff && s[1] < 0x1000);
    given_out && !special
}

/// An IPv4 address inside an IPv6 one: mapped, compatible, 6to4 and NAT64.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(v4(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses() {
        let check = |addresses: &[&str], public: bool| {
            for address in addresses {
                assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
            }
        };
        check(&["8.8.8.8", "100.63.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1"], true);
        check(
            &[
                "0.0.0.0",
                "10.1.2.3",
                "127.0.0.1",
                "169.254.169.254",
                "172.16.0.1",
                "192.168.1.1",
                "100.64.0.1",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
            ],
            false,
        );
        check(
            &[
                "::",
                "::1",
                "fe80::1",
                "fc00::1",
                "ff02::1",
                "2001:db8::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "64:ff9b::a00:1",
                "2002:7f00:1::1",
                "::127.0.0.1",
            ],
            false,
        );
    }
}
