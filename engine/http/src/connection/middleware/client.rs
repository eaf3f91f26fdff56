//! The address of the client, which comes only through configured proxies.

use axum::http::{HeaderMap, header};
use engine_settings::Settings;
use std::net::{IpAddr, Ipv6Addr};

/// The host that was asked, without its port.
pub fn requested_host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    host.split(':').next().unwrap_or_default().to_ascii_lowercase()
}

/// The address that a request comes from; for limits only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client(pub IpAddr);

impl Client {
    /// What limits are counted by: the address, or the /64 network of an IPv6 one.
    pub fn bucket(&self) -> u128 {
        match self.0.to_canonical() {
            IpAddr::V4(address) => u128::from(address.to_bits()),
            IpAddr::V6(address) => address.to_bits() >> 64 | 1 << 127,
        }
    }

    /// The client's address, or the /64 network of an IPv6 one, as text: limits of sends are counted by it.
    pub fn network(&self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("{}/64", Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        }
    }
}

/// Networks whose `X-Forwarded-For` is believed.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Vec<(IpAddr, u32)>);

impl Proxies {
    /// Proxies of the settings; the error names the setting.
    pub fn of(settings: &Settings) -> Result<Proxies, String> {
        Proxies::parse(&settings.server.trusted_proxies).map_err(|error| format!("`server.trusted_proxies`: {error}"))
    }

    /// Reads `10.0.0.1` and `10.0.0.0/8`; the error names the bad entry.
    pub fn parse(entries: &[String]) -> Result<Proxies, String> {
        let read = |entry: &String| {
            let (address, length) =
                entry.split_once('/').map_or((entry.as_str(), None), |(address, length)| (address, Some(length)));
            let address: IpAddr = address.trim().parse().ok()?;
            let longest = if address.is_ipv4() { 32 } else { 128 };
            let length = length.map_or(Some(longest), |text| text.trim().parse().ok())?;
            (length <= longest).then_some((address, length))
        };
        entries
            .iter()
            .map(|entry| read(entry).ok_or_else(|| format!("`{entry}` is not an address or network")))
            .collect::<Result<_, _>>()
            .map(Proxies)
    }

    /// The rightmost address that is not one of our proxies.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let peer = peer.to_canonical();
        if self.0.is_empty() || !self.trusts(peer) {
            return Client(peer);
        }
        let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let chain: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
        let mut client = peer;
        for hop in chain.into_iter().rev() {
            // What cannot be read was not written by a proxy of ours: stop at the last hop that was.
            let Ok(address) = hop.parse::<IpAddr>() else { break };
            client = address.to_canonical();
            if !self.trusts(client) {
                break;
            }
        }
        Client(client)
    }

    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|(network, length)| match (network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                same_prefix(network.to_bits().into(), address.to_bits().into(), 32, *length)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                same_prefix(network.to_bits(), address.to_bits(), 128, *length)
            }
            _ => false,
        })
    }
}

fn same_prefix(one: u128, other: u128, width: u32, length: u32) -> bool {
    length == 0 || (one ^ other) >> (width - length) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(trusted: &[&str], peer: &str, forwarded: &str, client: &str) {
        let trusted: Vec<String> = trusted.iter().map(|entry| entry.to_string()).collect();
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", forwarded.parse().unwrap());
        let found = Proxies::parse(&trusted).unwrap().client(peer.parse().unwrap(), &headers);
        assert_eq!(found.0, client.parse::<IpAddr>().unwrap(), "{trusted:?} {peer} {forwarded}");
    }

    #[test]
    fn only_configured_proxies_are_believed() {
        check(&[], "203.0.113.9", "198.51.100.1", "203.0.113.9");
        check(&["10.0.0.0/8"], "203.0.113.9", "198.51.100.1", "203.0.113.9");
        check(&["10.0.0.0/8"], "10.1.2.3", "198.51.100.1", "198.51.100.1");
        check(&["10.0.0.0/8"], "10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9", "198.51.100.1");
        check(&["10.0.0.0/8"], "10.1.2.3", "forged, 10.9.9.9", "10.9.9.9");
        check(&["fd00::/8"], "fd00::1", "2001:db8::5", "2001:db8::5");
        assert!(Proxies::parse(&["10.0.0.0/33".into()]).is_err());
    }

    #[test]
    fn limits_count_networks() {
        let client = |address: &str| Client(address.parse().unwrap());
        assert_eq!(client("::ffff:203.0.113.9").network(), "203.0.113.9");
        assert_eq!(client("2001:db8:1:2:3:4:5:6").network(), "2001:db8:1:2::/64");
        assert_eq!(client("2001:db8:1:2::1").bucket(), client("2001:db8:1:2:ffff::").bucket());
        assert_ne!(client("2001:db8:1:3::1").bucket(), client("2001:db8:1:2::1").bucket());
    }
}
