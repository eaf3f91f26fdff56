//! Who asks: the session behind a request, language, device, what brought them, whether
//! they are there. Nothing here decides about a journey.

pub mod agents;
pub mod attribution;
pub mod captcha;
pub mod device;
pub mod language;
pub mod presence;
pub mod session;
pub mod start;
