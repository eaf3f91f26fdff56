//! `journey staff` and `journey token`: who acts for the house or for customers.

use super::open_as_operator;
use super::operator::good_name;
use crate::cli::{Staff, Token};
use anyhow::{Result, ensure};
use engine_runtime::SetUp;
use engine_settings::Settings;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use std::process::ExitCode;

pub async fn staff(settings: Settings, command: Staff) -> Result<ExitCode> {
    let (runtime, _) = open_as_operator(settings).await?;
    match command {
        Staff::Add { mobile, role, name, openid } => {
            let digits = mobile.chars().filter(char::is_ascii_digit).count();
            ensure!((10..=13).contains(&digits), "a mobile number has ten digits");
            let name = name.unwrap_or_else(|| format!("staff-{}", &mobile[mobile.len().saturating_sub(4)..]));
            good_name(&name)?;
            match runtime.people.add_staff(&name, &mobile, &role, openid.as_deref()).await? {
                Some(SetUp { address, recovery }) => {
                    println!("{address}");
                    // To be scanned from the terminal; by the app of a second device too, against a lost telephone.
                    if let Ok(code) = QrCode::new(&address) {
                        eprintln!("{}", code.render::<Dense1x2>().build());
                    }
                    eprintln!(
                        "{name} is {role}; the address for the authenticator app is not shown again: scan it with"
                    );
                    eprintln!("the app of a second device as well, so that a lost telephone locks nobody out");
                    eprintln!("Without any app each of these opens once; keep them apart, they are not shown again:");
                    recovery.iter().for_each(|code| eprintln!("  {code}"));
                }
                None => eprintln!("who has this number is {role} too, with the authenticator app as it is set up"),
            }
        }
        Staff::List => {
            for member in runtime.people.staff().await? {
                println!("{}\t{}\t{}", member.name, member.mobile, member.roles.join(", "));
            }
        }
        Staff::Revoke { mobile } => match runtime.people.revoke_staff(&mobile).await? {
            Some(ended) => println!("all roles are taken, {ended} sessions ended"),
            None => {
                eprintln!("this number has no role");
                return Ok(ExitCode::FAILURE);
            }
        },
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn token(settings: Settings, command: Token) -> Result<ExitCode> {
    let (runtime, _) = open_as_operator(settings).await?;
    match command {
        Token::Issue { name, role, sources, hours } => {
            good_name(&name)?;
            // On standard output alone, so that it can be kept without being seen.
            println!("{}", runtime.people.new_service_token(&name, &role, &sources, hours).await?);
            eprintln!("token of {name} for {} and {hours} hours; it is not shown again", sources.join(", "));
        }
        Token::List => {
            for token in runtime.people.service_tokens().await? {
                println!("{}\t{}\t{}\t{}", token.name, token.role, token.sources.join(", "), token.until);
            }
        }
        Token::Revoke { name } => {
            println!("{} tokens of {name} are revoked", runtime.people.revoke_service_tokens(&name).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
